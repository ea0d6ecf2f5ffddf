import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { settings } from "./settings.ts";

/** What others than the product read from the environment: Node, npm, OpenSSL, the C library, our own tools. */
const OTHERS =
  /^(NODE_.*|npm_.*|(https?|no|all)_proxy|SSL_.*|TZ|LANG|LC_.*|TEST_.*|BENCH_.*|SECURITY_.*|CHROMIUM_PATH|TMPDIR)$/i;

/** One line for each name of the file that is no setting: mostly a slip, whose setting would silently keep its default. */
export function slipsIn(envFile: string): readonly string[] {
  if (!existsSync(envFile)) return [];
  const names = Object.keys(parseEnv(readFileSync(envFile, "utf8")));
  return names
    .filter((name) => !Object.hasOwn(settings.shape, name) && !OTHERS.test(name))
    .toSorted()
    .map((name) => `.env gives ${name.slice(0, 80)}, which is no setting: it changes nothing`);
}
