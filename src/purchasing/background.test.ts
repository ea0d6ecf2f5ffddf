import { describe, expect, it } from "vitest";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { createBackground } from "./background.ts";

describe("createBackground()", () => {
  it("runs tasks of one key one after another, and those of other keys concurrently", async () => {
    const background = createBackground(createQuietLog());
    const done: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    background.inOrder("a", "task", async () => {
      await gate;
      done.push("a1");
    });
    background.inOrder("a", "task", async () => void done.push("a2"));
    background.inOrder("b", "task", async () => void done.push("b1"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(["b1"]);
    open();
    await background.settled();
    expect(done).toEqual(["b1", "a1", "a2"]);
  });

  it("logs a task that fails, and continues with the next one of the same key", async () => {
    const log = createQuietLog();
    const background = createBackground(log);
    const done: string[] = [];
    background.inOrder("a", "first", async () => {
      throw new TypeError("a bug");
    });
    background.inOrder("a", "second", async () => void done.push("second"));
    await background.settled();
    expect(done).toEqual(["second"]);
    expect(log.lines).toMatchObject([{ level: "error", fields: { task: "first", error: "TypeError" } }]);
  });

  it("waits also for tasks that began while it waited", async () => {
    const background = createBackground(createQuietLog());
    const done: string[] = [];
    background.start("outer", async () => {
      background.start("inner", async () => void done.push("inner"));
    });
    await background.settled();
    expect(done).toEqual(["inner"]);
  });
});
