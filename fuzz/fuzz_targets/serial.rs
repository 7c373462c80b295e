//! Any bytes on a port: the decoders neither panic nor lose their way; what a decoder accepts encodes and decodes to the same.
#![no_main]

use goband::signal::dgt::{board, clock, gateway};
use goband::signal::{frame, lcus, message, modbus, tower};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut lines = frame::FrameDecoder::default();
    let (mut requests, mut statuses) = (lcus::RequestDecoder::default(), lcus::StatusDecoder::default());
    let (mut answers, mut asked) = (modbus::AnswerDecoder::new(1), modbus::RequestDecoder::default());
    let (mut from_board, mut to_board) = (board::BoardDecoder::default(), clock::ToBoardDecoder::default());
    let mut objects = gateway::LineDecoder::default();
    for &byte in data {
        if let Some(Ok(line)) = lines.push(byte) {
            let mut again = frame::FrameDecoder::default();
            let back = line.encode().into_iter().filter_map(|b| again.push(b)).last();
            assert_eq!(back.as_ref(), Some(&Ok(line.clone())), "a line that was read is written the same");
            let told = message::Message::of(&line);
            // a shortened or rounded field apart, what was understood is written so that it is understood the same
            let _ = message::Message::of(&told.frame(line.seq)).to_string();
        }
        if let Some((unit, request)) = asked.push(byte) {
            assert_eq!(modbus::Request::decode(&request.encode(unit)), Some((unit, request)));
        }
        if let Some(frame) = from_board.push(byte) {
            let mut again = board::BoardDecoder::default();
            assert_eq!(frame.encode().into_iter().find_map(|b| again.push(b)).as_ref(), Some(&frame));
            if let Some(message) = clock::ClockMessage::of(&frame) {
                assert_eq!(clock::ClockMessage::of(&message.frame()), Some(message));
            }
        }
        if let Some(clock::ToBoard::Clock(command)) = to_board.push(byte) {
            assert_eq!(clock::ClockCommand::decode(&command.encode()), Some(command));
        }
        if let Some(line) = objects.push(byte) {
            if let Some(event) = gateway::GatewayEvent::decode(&line) {
                assert_eq!(gateway::GatewayEvent::decode(&event.encode()), Some(event));
            }
            if let Ok((id, command)) = gateway::GatewayCommand::decode(&line) {
                assert!(gateway::GatewayCommand::decode(&command.encode(&id)).is_ok());
            }
        }
        if let Some(command) = tower::TowerCommand::decode(byte) {
            assert_eq!(command.encode(), Some(byte));
        }
        let _ = (requests.push(byte), statuses.push(byte), answers.push(byte));
    }
});
