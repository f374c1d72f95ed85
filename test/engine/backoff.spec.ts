/** Back-off records from the inside: one BackoffUpdate serves one Job after the other. */
import { BackoffRecord, BackoffUpdate, remainingBackoffMs } from "../../assembly/model/backoff";

describe("BackoffUpdate", () => {
  it("starts over with each begin, and after free", () => {
    const update = new BackoffUpdate();
    const first = new BackoffRecord();
    update.begin();
    update.succeeded(50);
    for (let time = 0; time < 100; time++) update.failed(<f64>time);
    update.applyTo(first);
    expect(first.failures).toBe(49);
    expect(first.lastFailureTimeMs).toBe(99);

    update.free();
    const second = new BackoffRecord();
    update.begin();
    update.failed(7);
    update.applyTo(second);
    expect(second.failures).toBe(1, "the success of the first batch is forgotten");
    expect(second.lastFailureTimeMs).toBe(7);
    update.free();
  });

  it("counts only failures after a success that is fed last", () => {
    const update = new BackoffUpdate();
    const record = new BackoffRecord();
    update.begin();
    update.failed(30);
    update.failed(10);
    update.failed(20);
    update.succeeded(20);
    update.applyTo(record);
    expect(record.failures).toBe(1);
    expect(record.lastFailureTimeMs).toBe(30);
    update.free();
  });
});

describe("remainingBackoffMs", () => {
  it("takes any number of failures and any base", () => {
    expect(remainingBackoffMs(i32.MAX_VALUE, 0, 0, 10000, 600000)).toBe(600000);
    expect(remainingBackoffMs(i32.MAX_VALUE, 0, 0, 0, 600000)).toBe(0);
    expect(remainingBackoffMs(1, 0, 0, 900000, 600000)).toBe(900000, "a base above the cap is kept");
    expect(remainingBackoffMs(2, 0, 0, 900000, 600000)).toBe(600000);
  });

  it("waits longer for a failure that lies in the future", () => {
    expect(remainingBackoffMs(1, 5000, 1000, 10000, 600000)).toBe(14000);
  });
});
