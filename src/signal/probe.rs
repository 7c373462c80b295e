//! Tries one configured device and says in plain words what is there. It changes nothing that anybody would see.

use std::io;
use std::time::{Duration, Instant};

use super::clock::{ClockReading, Phase};
use super::config::{DeviceConfig, DeviceKind};
use super::console::{ConsoleDriver, Introduction, Roles};
use super::device::port_trouble;
use super::dgt::{BoardClockDriver, GatewayDriver};
use super::driver::{Driver, FromDevice, Health};
use super::lcus::{QUERY, StatusDecoder};
use super::link::{ModemLines, Tty, wait};
use super::modbus::{Answer, AnswerDecoder, Request};
use super::port::{Places, resolve};
use crate::game::Text;
use crate::rules::Color;

/// How long a device may take to say who it is.
const PATIENCE: Duration = Duration::from_millis(3500);
/// How long a relay board may take to answer.
const SHORT: Duration = Duration::from_millis(400);

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// It will work as configured, as far as can be told.
    pub is_well: bool,
    pub text: Text,
}

fn finding(is_well: bool, en: impl Into<String>, zh: impl Into<String>) -> Finding {
    Finding { is_well, text: Text { en: en.into(), zh: zh.into() } }
}

/// Opens the device's port, asks what can be asked, and closes it.
pub fn probe(device: &DeviceConfig, places: &Places) -> Finding {
    let port = match device.check().and_then(|()| device.port.parse().map_err(|e| ("signal.port", e))) {
        Ok(port) => port,
        Err((key, problem)) => return finding(false, format!("{key}: {problem}"), format!("{key}:{problem}")),
    };
    let opened = resolve(&port, places).and_then(|path| Tty::open(&path, device.baud()));
    let mut tty = match opened {
        Ok(tty) => tty,
        Err(error) => return Finding { is_well: false, text: port_trouble(&port, &error) },
    };
    let found = match device.kind {
        DeviceKind::Console => talk(&mut tty, line(device, Roles::CONSOLE), "console", "裁判终端"),
        DeviceKind::Clock => talk(&mut tty, line(device, Roles::CLOCK), "clock", "棋钟"),
        DeviceKind::Dgt => {
            let driver = Box::new(BoardClockDriver::new(device.left.unwrap_or(Color::Black)));
            talk(&mut tty, driver, "board with a clock", "带棋钟的棋盘")
        }
        DeviceKind::Dgt3000 => {
            let driver = Box::new(GatewayDriver::new(device.left.unwrap_or(Color::Black)));
            talk(&mut tty, driver, "clock gateway", "棋钟网关")
        }
        DeviceKind::Lamp => lamp(&mut tty),
        DeviceKind::Modbus => modbus(&mut tty, device.unit.unwrap_or(1)),
        DeviceKind::Tower => Ok(finding(
            true,
            "the port opens; a tower lamp answers nothing, so watch it light up when goband starts",
            "串口可打开;警示灯不会应答,请在启动时观察是否亮灯",
        )),
        DeviceKind::Lines => lines(&mut tty),
    };
    found.unwrap_or_else(|error| Finding { is_well: false, text: port_trouble(&port, &error) })
}

fn line(device: &DeviceConfig, roles: Roles) -> Box<dyn Driver> {
    let session = format!("check-{}", std::process::id());
    let introduction = Introduction { session, table: "check".into(), game: String::new() };
    Box::new(ConsoleDriver::new(device.baud(), device.language.unwrap_or_default(), introduction, roles))
}

/// Lets a driver talk until the device is known. It was never shown anything, so it tells the device nothing.
fn talk(tty: &mut Tty, mut driver: Box<dyn Driver>, en: &str, zh: &str) -> io::Result<Finding> {
    let start = Instant::now();
    let now = || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    driver.opened(0);
    let mut reading = None;
    let mut known_at = None;
    while start.elapsed() < PATIENCE {
        let due = driver.poll(now()).unwrap_or(u64::MAX);
        flush(tty, driver.output())?;
        let timeout = Duration::from_millis(due.saturating_sub(now()).clamp(1, 50));
        if wait(Some(tty.descriptor()), false, None, timeout).port {
            let mut buffer = [0; 4096];
            let count = tty.read(&mut buffer)?;
            for told in driver.received(&buffer[..count], now()) {
                if let FromDevice::Clock { reading: new, .. } = told {
                    reading = Some(new);
                }
            }
        }
        if driver.health(now()) == Health::Well && driver.peer().is_some() {
            // a clock gets a moment to show its times
            let known = *known_at.get_or_insert_with(Instant::now);
            if reading.is_some() && known.elapsed() > Duration::from_millis(600)
                || known.elapsed() > Duration::from_millis(1500)
            {
                break;
            }
        }
    }
    driver.farewell(now());
    flush(tty, driver.output())?;
    while tty.unsent() > 0 && start.elapsed() < PATIENCE + SHORT {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (face_en, face_zh) = reading.map_or_else(Default::default, face);
    Ok(match (driver.health(now()), driver.peer()) {
        (Health::Silent(trouble), _) => Finding { is_well: false, text: trouble },
        (_, Some(peer)) => {
            finding(true, format!("a {en} answers: {peer}{face_en}"), format!("{zh}有应答:{peer}{face_zh}"))
        }
        (_, None) => finding(
            false,
            format!("the port opens, but no {en} answers; check its power, the cable and the baud rate"),
            format!("串口可打开,但{zh}没有应答;请检查电源、线缆和波特率"),
        ),
    })
}

fn flush(tty: &mut Tty, out: &mut Vec<u8>) -> io::Result<()> {
    let count = tty.write(out)?;
    out.drain(..count);
    Ok(())
}

fn face(reading: ClockReading) -> (String, String) {
    let side = |color| {
        let time = reading.times.of(color);
        let s = time.ms.div_ceil(1000);
        let periods = if let Phase::Period(n) = time.phase { format!(" ({n})") } else { String::new() };
        format!("{}:{:02}:{:02}{periods}", s / 3600, s / 60 % 60, s % 60)
    };
    let (black, white) = (side(Color::Black), side(Color::White));
    let (en, zh) = if reading.running.is_some() { ("runs", "走时") } else { ("stands", "停") };
    (format!("; it shows Black {black}, White {white}, and {en}"), format!(";显示黑 {black}、白 {white},{zh}"))
}

/// What comes in within a moment.
fn listen(tty: &mut Tty, mut take: impl FnMut(u8) -> bool) -> io::Result<()> {
    let start = Instant::now();
    while start.elapsed() < SHORT {
        if wait(Some(tty.descriptor()), false, None, Duration::from_millis(20)).port {
            let mut buffer = [0; 256];
            let count = tty.read(&mut buffer)?;
            if buffer[..count].iter().any(|&b| take(b)) {
                break;
            }
        }
    }
    Ok(())
}

fn lamp(tty: &mut Tty) -> io::Result<Finding> {
    tty.write(&[QUERY])?;
    let (mut decoder, mut relays) = (StatusDecoder::default(), 0);
    listen(tty, |byte| {
        relays += usize::from(decoder.push(byte).is_some());
        false
    })?;
    let relays = relays.max(decoder.take_states().len());
    Ok(if relays > 0 {
        finding(
            true,
            format!("a relay board answers and tells the state of {relays} relays; `query_status = true` can be used"),
            format!("继电器板有应答,报告了 {relays} 路状态;可使用 query_status = true"),
        )
    } else {
        finding(
            true,
            "the port opens; the board answers no question, as many do not, so watch its lamps when goband starts",
            "串口可打开;继电器板没有应答(许多型号不应答),请在启动时观察指示灯",
        )
    })
}

fn modbus(tty: &mut Tty, unit: u8) -> io::Result<Finding> {
    tty.write(&Request::Read { first: 0, count: 8 }.encode(unit))?;
    let (mut decoder, mut answer) = (AnswerDecoder::new(unit), None);
    listen(tty, |byte| {
        answer = decoder.push(byte).or(answer.take());
        answer.is_some()
    })?;
    Ok(match answer {
        Some(Answer::Coils(states)) => {
            let bits = states.first().copied().unwrap_or(0);
            let on: Vec<String> = (0..8).filter(|n| bits >> n & 1 == 1).map(|n| (n + 1).to_string()).collect();
            let on = if on.is_empty() { "-".to_owned() } else { on.join(", ") };
            finding(
                true,
                format!("board {unit} answers; relays that are on: {on}"),
                format!("{unit} 号继电器板有应答;已吸合的继电器:{on}"),
            )
        }
        Some(_) => finding(
            true,
            format!("board {unit} answers, but does not tell the state of its relays"),
            format!("{unit} 号继电器板有应答,但不报告继电器状态"),
        ),
        None => finding(
            false,
            format!(
                "no board with address {unit} answers; check its power, A and B, the address (`unit`) and the baud rate"
            ),
            format!("地址为 {unit} 的继电器板没有应答;请检查电源、A/B 接线、地址(unit)和波特率"),
        ),
    })
}

fn lines(tty: &mut Tty) -> io::Result<Finding> {
    let lines = match tty.inputs() {
        Ok(lines) => lines,
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOTTY | libc::EINVAL)) => {
            return Ok(finding(
                false,
                "the port opens, but has no DTR, RTS, CTS or DSR lines",
                "串口可打开,但没有 DTR、RTS、CTS、DSR 信号线",
            ));
        }
        Err(e) => return Err(e),
    };
    let closed: Vec<&str> = [(lines.cts, "CTS"), (lines.dsr, "DSR"), (lines.ri, "RI"), (lines.cd, "CD")]
        .iter()
        .filter_map(|(is_up, name)| is_up.then_some(*name))
        .collect();
    let closed = if closed.is_empty() { "-".to_owned() } else { closed.join(", ") };
    Ok(finding(
        true,
        format!("the port opens and has its lines; inputs that are closed now: {closed}"),
        format!("串口可打开,信号线可用;当前闭合的输入:{closed}"),
    ))
}
