/** The whole product in this process, with its own sandbox and store, for integration tests. */
import type { Clock } from "#domain/clock.ts";
import { systemClock } from "#server/clock.ts";
import { readConfig } from "#server/config.ts";
import { startProduct } from "#server/context.ts";
import { createSystemRandom } from "#server/random.ts";
import { freePort } from "./free-port.ts";
import { type Person, signInAt } from "./person.ts";
import { type LoggedLine, createQuietLog } from "./quiet-log.ts";
import { type SandboxClient, sandboxClient } from "./sandbox-client.ts";
import { type Tab, type TabOptions, openTab } from "./tab.ts";
import { preparedFolder } from "./test-store.ts";

interface WorldOptions {
  /** Generated listings per second; 0 by default. */
  readonly pace?: number;
  /** The data directory of an earlier world; kept when this world ends. */
  readonly dataDir?: string;
  /** The product's clock; the system clock by default. */
  readonly clock?: Clock;
  /** The address of Discord's webhooks; Discord's own by default. */
  readonly discordUrl?: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface World extends AsyncDisposable {
  /** The public address. */
  readonly url: string;
  readonly dataDir: string;
  readonly sandbox: SandboxClient;
  readonly logged: readonly LoggedLine[];
  /** Signs in as a persona; "seeker…", "acquire…" and "thunder…" get that plan. */
  signIn(name: string): Promise<Person>;
  /** Opens a page of this person; closed with the world. */
  openTab(person: Person, options?: TabOptions): Tab;
}

/** Settles when ready; every world has its own ports and, by default, its own data. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? stack.use(await preparedFolder()).path;
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const { config, secrets } = readConfig({
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: dataDir,
    SANDBOX_LISTINGS_PER_SECOND: String(options.pace ?? 0),
    SANDBOX_HISTORY_DAYS: "0",
    ...options.env,
  });
  const log = createQuietLog();
  const random = createSystemRandom();
  stack.use(
    await startProduct({
      config,
      secrets,
      clock: options.clock ?? systemClock,
      random,
      log,
      ...(options.discordUrl === undefined ? {} : { discordUrl: options.discordUrl }),
      onFatal: (error) => log.error({ error: error.name }, "fatal"),
    }),
  );
  const ending = stack.move();
  return {
    url: config.publicUrl,
    dataDir,
    sandbox: sandboxClient(config.marketplace.url),
    logged: log.lines,
    signIn: (name) => signInAt(config.publicUrl, name),
    openTab(person, tabOptions) {
      const tab = openTab(config.publicUrl, person.cookie, tabOptions);
      ending.defer(() => tab.close());
      return tab;
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}
