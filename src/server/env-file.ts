import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { settings } from "./settings.ts";

/** Variables that Node, npm, OpenSSL, the C library or the project's tools read. */
const OTHERS =
  /^(NODE_.*|npm_.*|(https?|no|all)_proxy|SSL_.*|TZ|LANG|LC_.*|TEST_.*|BENCH_.*|SECURITY_.*|CHROMIUM_PATH|TMPDIR)$/i;

/** One line for each unknown name of the file: mostly a typing error, which would silently leave the default. */
export function slipsIn(envFile: string): readonly string[] {
  if (!existsSync(envFile)) return [];
  const names = Object.keys(parseEnv(readFileSync(envFile, "utf8")));
  return names
    .filter((name) => !Object.hasOwn(settings.shape, name) && !OTHERS.test(name))
    .toSorted()
    .map((name) => `.env gives ${name.slice(0, 80)}, which is no setting: it changes nothing`);
}
