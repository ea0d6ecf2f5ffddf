/** Checks whether the product would start with these settings, for `doctor`. */
import { readConfig } from "../config.ts";
import { START_REFUSED_EXIT_CODE, StartRefused } from "../start-refused.ts";

try {
  readConfig(process.env);
} catch (error) {
  if (!(error instanceof StartRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = START_REFUSED_EXIT_CODE;
}
