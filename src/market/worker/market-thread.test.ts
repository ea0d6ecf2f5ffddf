import { expect, test } from "vitest";
import { MarketThread } from "./market-thread.ts";

/** Answers with the keys of a run, and fails for the key "fails". */
const FAILING = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ n, request: { keys } }) => {
    if (keys[0] === "fails") throw new Error("out of memory");
    parentPort.postMessage({ n, error: null, answer: keys });
  });`;

test("after a failure of the thread the next run is answered by a new one", async () => {
  const thread = new MarketThread(new URL(`data:text/javascript,${encodeURIComponent(FAILING)}`));
  const begin = async (key: string) =>
    (await thread.begin("rebuild", { windowDays: 30, untilMs: 0 }, [key])).wanted;
  for (const key of ["first", "second"]) {
    expect(await begin(key)).toEqual([key]);
    await expect(begin("fails")).rejects.toThrow("the market's thread ended");
  }
  expect(await begin("last")).toEqual(["last"]);
  await thread.stop();
});
