//! A host of Stint's engine, written from bindings/ABI.md alone.
mod engine;
mod replay;
use std::{env, fs, sync::atomic::Ordering, time::Instant, time::SystemTime};

const USAGE: &str = "usage: stint-rust-host ENGINE.wasm review|verdict|lint|forecast QUESTION.json
       stint-rust-host ENGINE.wasm replay RECORDING [READINGS]
       stint-rust-host ENGINE.wasm answers FILE";

fn main() -> engine::Outcome<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [engine, command, file, rest @ ..] = words.as_slice() else { return Err(USAGE.into()) };
    let (code, input, start) = (fs::read(engine)?, fs::read_to_string(file)?, Instant::now());
    let module = wasmi::Module::new(&wasmi::Engine::default(), code)?;
    let mut engine = engine::Engine::new(&module)?;
    let cold_start_ms = start.elapsed().as_secs_f64() * 1000.0;
    let said = match command.as_str() {
        "replay" => replay::replay(&module, &input, &rest.first().map_or(Ok("[]".into()), fs::read_to_string)?)?,
        "answers" => replay::compare_answers(&module, &input)?,
        _ => {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis() as f64;
            String::from_utf8(engine.ask(command, input.as_bytes(), (command != "review").then_some(now))?)?
        }
    };
    println!("{said}");
    let spent_ms = engine::SPENT_NS.load(Ordering::Relaxed) as f64 / 1e6;
    eprintln!("started in {cold_start_ms:.3} ms, {spent_ms:.3} ms in engines");
    Ok(())
}
