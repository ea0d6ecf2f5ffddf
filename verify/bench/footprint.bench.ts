// The cost of an idle product: time to ready on an empty and on a filled data directory, and resident memory.
import { readFile } from "node:fs/promises";
import { startProduct } from "../../e2e/product.ts";
import { signInAt } from "#verify/testing/person.ts";
import { pause, print } from "./figures.ts";

const REST_S = 30;

const beganAtMs = Date.now();
const product = await startProduct({ SANDBOX_LISTINGS_PER_SECOND: "2" });
try {
  print("first start, empty data directory → ready", `${Date.now() - beganAtMs} ms`);
  const person = await signInAt(product.url, "thunder-lea");
  await person.call("addFilter", { tag: "T-shirts", types: { ids: [221] }, limit: 20 });
  await pause(REST_S * 1_000);
  print(`memory after ${REST_S} s with one filter, sandbox included`, await residentMemory(product.pid));
  const againAtMs = Date.now();
  await product.killAndRestart();
  print("kill -9, second start on the same data → ready", `${Date.now() - againAtMs} ms`);
  await pause(REST_S * 1_000);
  print(`memory ${REST_S} s after the second start`, await residentMemory(product.pid));
} finally {
  await product.stop();
}

/** Linux only. */
async function residentMemory(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(status)?.[1];
  return kilobytes === undefined
    ? "not known on this system"
    : `${(Number(kilobytes) / 1_024).toFixed(0)} MB`;
}
