//! Any bytes on a port: the decoders neither panic nor lose their way; what a decoder accepts encodes and decodes to the same.
#![no_main]

use goband::signal::{frame, lcus, modbus};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut lines = frame::FrameDecoder::default();
    let (mut requests, mut statuses) = (lcus::RequestDecoder::default(), lcus::StatusDecoder::default());
    let mut answers = modbus::AnswerDecoder::new(1);
    for &byte in data {
        if let Some(Ok(line)) = lines.push(byte) {
            let mut again = frame::FrameDecoder::default();
            let back = line.encode().into_iter().filter_map(|b| again.push(b)).last();
            assert_eq!(back, Some(Ok(line)), "a line that was read is written the same");
        }
        let _ = (requests.push(byte), statuses.push(byte), answers.push(byte));
    }
});
