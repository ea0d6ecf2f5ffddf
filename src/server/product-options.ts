import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Random } from "#domain/random.ts";
import type { Config, Secrets } from "./config.ts";

/** The inputs of the whole product. */
export interface ProductOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The address of Discord's webhooks, for tests; absent: Discord. */
  readonly discordUrl?: string;
  /** Ends the process after an unrecoverable failure of a part; everything acknowledged is durable. */
  readonly onFatal: (error: Error) => void;
}
