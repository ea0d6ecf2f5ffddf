import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Random } from "#domain/random.ts";
import type { Config, Secrets } from "./config.ts";

/** What the product as a whole is given. */
export interface ProductOptions {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Where Discord's webhooks answer, for tests; absent: Discord. */
  readonly discordUrl?: string;
  /** The process must end: a part of it is beyond help, and a new process finds everything acknowledged. */
  readonly onFatal: (error: Error) => void;
}
