import { accessSync, chmodSync, constants, mkdirSync, statSync } from "node:fs";
import { StartRefused } from "./start-refused.ts";

/**
 * Creates the data directory for this system user only, and removes wider permissions from an existing one.
 * @throws StartRefused when it cannot be used
 */
export function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { mode } = statSync(dataDir);
    if ((mode & 0o077) !== 0) chmodSync(dataDir, mode & 0o700);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new StartRefused(
      `DATA_DIR ${dataDir} cannot be used (${code}): it must be a directory that can be written`,
    );
  }
}
