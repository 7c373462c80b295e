//! Any bytes from a device, at any pace, while alarms, orders and calls come and go: no driver panics, writes without end, or
//! fails to take a clean line afterwards.
#![no_main]

use std::sync::Arc;

use goband::game::{Event, EventKind, Interval, Text};
use goband::rules::{Color, Ruleset};
use goband::signal::clock::{ClockDesk, OrderedBy, StopFor, StopPolicy};
use goband::signal::console::{ConsoleDriver, Introduction, Roles};
use goband::signal::dgt::{BoardClockDriver, GatewayDriver};
use goband::signal::driver::{Driver, FromDevice};
use goband::signal::lamp::{LampDriver, LampTimes};
use goband::signal::lights::LightRules;
use goband::signal::modbus_lamp::ModbusDriver;
use goband::signal::model::Model;
use goband::signal::{LampChannels, Language};
use libfuzzer_sys::fuzz_target;

fn driver(which: u8) -> Box<dyn Driver> {
    let introduction = Introduction { session: "S1".into(), table: "1".into(), game: "g".into() };
    let (rules, times) = (LightRules::usual(1000), LampTimes { reassert_ms: 2000, query_status: true });
    match which % 6 {
        0 => Box::new(ConsoleDriver::new(115_200, Language::Zh, introduction, Roles::CONSOLE)),
        1 => Box::new(ConsoleDriver::new(9600, Language::En, introduction, Roles::CLOCK)),
        2 => Box::new(BoardClockDriver::new(Color::White)),
        3 => Box::new(GatewayDriver::new(Color::Black)),
        4 => Box::new(LampDriver::new(LampChannels::default(), rules, times)),
        _ => Box::new(ModbusDriver::new(1, 9600, LampChannels::default(), rules, times)),
    }
}

fuzz_target!(|data: &[u8]| {
    let [which, data @ ..] = data else { return };
    let mut driver = driver(*which);
    let ruleset = Ruleset::builtin("team-relay").expect("built in");
    let (mut model, mut now_ms, mut seq) = (Model::new(true), 0u64, 0);
    let mut desk = ClockDesk::new(StopPolicy::new(&StopFor::Ruleset, &ruleset));
    driver.opened(0);
    let mut rest = data;
    while let [deed, more @ ..] = rest {
        rest = more;
        match deed {
            // bytes that come in
            0..=159 => {
                let (bytes, more) = rest.split_at(usize::from(*deed).min(rest.len()));
                rest = more;
                for told in driver.received(bytes, now_ms) {
                    match told {
                        FromDevice::Clock { reading, grain_ms } => {
                            let _ = desk.read(reading, now_ms, grain_ms);
                        }
                        FromDevice::Obeyed(number) => {
                            let _ = desk.obeyed(number, now_ms);
                        }
                        FromDevice::Press(press) => {
                            let _ = desk.pressed(press, "clock");
                        }
                        FromDevice::Button(_) => {}
                    }
                }
            }
            160..=199 => now_ms += u64::from(deed - 159) * 37,
            200..=219 => {
                seq += 1;
                let event = Event { seq, ..Event::new(EventKind::DoubleMove, Interval::default(), 0, 1.0) };
                model.apply(&event, false);
                desk.tell(&event, now_ms);
            }
            220..=229 => {
                let event = Event { of: Some(seq), ..Event::new(EventKind::Decision, Interval::default(), 0, 1.0) };
                model.apply(&event, false);
            }
            230..=239 => {
                let _ = desk.order((deed % 2 == 0).then_some(Color::Black), None, OrderedBy::Display);
            }
            240..=249 => desk.say(None, "text", Text::new("ten", "十"), "TEN", 100),
            _ => driver.opened(now_ms),
        }
        let mut outlook = model.outlook();
        outlook.clock = desk.outlook();
        driver.show(&Arc::new(outlook), now_ms);
        let due = driver.poll(now_ms);
        assert!(due.is_none_or(|due| due >= now_ms.saturating_sub(1)) || !driver.output().is_empty());
        assert!(driver.output().len() < 20_000, "{} bytes to say", driver.output().len());
        driver.output().clear();
        let _ = (driver.health(now_ms), driver.counters(), driver.peer());
    }
    driver.farewell(now_ms);
    let _ = driver.has_said_farewell();
});
