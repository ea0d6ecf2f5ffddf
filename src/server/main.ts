/** The product's process: reads the settings, starts the named parts, and stops on a signal. */
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { describeError, type Log } from "#domain/log.ts";
import { systemClock } from "./clock.ts";
import { type Config, readConfig } from "./config.ts";
import { boundGarbage } from "./garbage.ts";
import { createLog } from "./log.ts";
import { createSystemRandom } from "./random.ts";
import { unknownSettings } from "./settings.ts";
import {
  delayOf,
  refusalOf,
  START_LATER_EXIT_CODE,
  START_REFUSED_EXIT_CODE,
  withDiskCheck,
} from "./start-refused.ts";

const FAILED_EXIT_CODE = 1;
const ENV_FILE = join(import.meta.dirname, "..", "..", ".env");
/** Saves a third of the start time. The folder is writable by this system user only. */
const COMPILE_CACHE = join(import.meta.dirname, "..", "..", ".cache", "compiled");
/** Below a supervisor's usual timeout of five seconds, so that the log still gets the reason. */
const STOP_WITHIN_MS = 4_500;

// Files are readable by this system user only.
process.umask(0o077);
boundGarbage();

try {
  await main();
} catch (error) {
  const delay = delayOf(error);
  if (delay !== null) refuse(delay, START_LATER_EXIT_CODE);
  const line = refusalOf(error);
  if (line === null) crash(error, createLog("error"));
  refuse(line, START_REFUSED_EXIT_CODE);
}

function refuse(line: string, exitCode: number): never {
  process.stderr.write(`${line.replaceAll(/\s+/g, " ")}\n`);
  process.exit(exitCode);
}

async function main(): Promise<void> {
  const { config, secrets } = readConfig(process.env);
  for (const line of unknownSettings(ENV_FILE)) process.stderr.write(`${line}\n`);
  const log = createLog(config.logLevel);
  endOnCrash(log);
  if (config.minPriceDays > config.archive.days)
    log.warn({}, "ARCHIVE_DAYS is below PRICE_BUY_MIN_DAYS: no filter buys by a usual price");
  // Loaded only now, so that a wrong setting is reported without loading the whole product.
  enableCompileCache(COMPILE_CACHE);
  const { startProduct } = await import("./context.ts");
  flushCompileCache();
  const product = await withDiskCheck(config.dataDir, () =>
    startProduct({
      config,
      secrets,
      clock: systemClock,
      random: createSystemRandom(),
      log,
      onFatal: (error) => crash(error, log),
    }),
  );
  endOnSignal(product, log);
  process.stdout.write(`${addressLine(config)}\n`);
}

/** The last line of the start: what to open. */
function addressLine({ services, publicUrl, sandbox }: Config): string {
  if (services.size === 1 && sandbox !== null) return `Sandbox: ${sandbox.publicUrl}`;
  return services.has("web") ? `Synapse: ${publicUrl}` : `Synapse: ${[...services].join(", ")}`;
}

/** After an unexpected error no state can be trusted: the process ends, and a new one recovers. */
function endOnCrash(log: Log): void {
  process.on("uncaughtException", (error) => crash(error, log));
  process.on("unhandledRejection", (error) => crash(error, log));
}

function crash(error: unknown, log: Log): never {
  log.error(describeError(error), "the process cannot go on and ends");
  process.exit(FAILED_EXIT_CODE);
}

function endOnSignal(product: AsyncDisposable, log: Log): void {
  let isEnding = false;
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) return;
    isEnding = true;
    log.info({ signal }, "ending");
    setTimeout(() => {
      log.warn({}, "not everything ended in time");
      process.exit(0);
    }, STOP_WITHIN_MS).unref();
    void product[Symbol.asyncDispose]().then(
      () => process.exit(0),
      (error: unknown) => crash(error, log),
    );
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
}
