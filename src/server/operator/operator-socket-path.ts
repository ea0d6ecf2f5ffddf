import { join, relative } from "node:path";
import { OPERATOR_SOCKET_FILE, SOCKET_PATH_MAX_BYTES } from "#contract/operator.ts";
import { StartRefused } from "../start-refused.ts";

/**
 * The path of the operator's socket file. A long path is made relative to the working directory if that is shorter.
 * @throws StartRefused when neither fits into a socket address
 */
export function operatorSocketPath(dataDir: string): string {
  const absolute = join(dataDir, OPERATOR_SOCKET_FILE);
  const fitting = [absolute, relative(process.cwd(), absolute)].find(
    (path) => Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES,
  );
  if (fitting !== undefined) return fitting;
  throw new StartRefused(
    `DATA_DIR is too long for the operator's socket file (${absolute}): choose a shorter one`,
  );
}
