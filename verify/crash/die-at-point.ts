/** Preloaded with `--import`: kills the process with SIGKILL at the point named by CRASH_AT. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { crashPoints } from "./crash-points.ts";

const root = join(import.meta.dirname, "..", "..");
const point = crashPoints.find(({ name }) => name === process.env["CRASH_AT"]);
if (point === undefined) throw new Error("CRASH_AT names no point");

const { before, when } = point;
const address = pathToFileURL(join(root, point.file)).href;
// Nothing runs after the kill: the signal is delivered before the call returns.
const death = `if (${when ?? "true"}) process.kill(process.pid, "SIGKILL");\n`;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== address) return loaded;
    const text = textOf(loaded.source);
    if (text.split(before).length !== 2) throw new Error(`its text does not stand once in ${url}`);
    return { ...loaded, source: text.replace(before, () => `${death}${before}`) };
  },
});

function textOf(source: unknown): string {
  if (typeof source === "string") return source;
  if (source instanceof Uint8Array) return new TextDecoder().decode(source);
  throw new TypeError("the source of a module is neither text nor bytes");
}
