/** The whole product in this process, with its own sandbox and store: what integration tests run against. */
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
  /** Listings a second that come by themselves; 0 unless told otherwise. */
  readonly pace?: number;
  /** Where an earlier world kept its data; it then stays after this world's end. */
  readonly dataDir?: string;
  /** Time as the product is told it; the machine's own unless told otherwise. */
  readonly clock?: Clock;
  /** Where Discord's webhooks answer; Discord itself unless told otherwise. */
  readonly discordUrl?: string;
  /** Further settings, by their names in the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface World extends AsyncDisposable {
  /** The address that people use. */
  readonly url: string;
  readonly dataDir: string;
  readonly sandbox: SandboxClient;
  readonly logged: readonly LoggedLine[];
  /** Signs in as a persona; "seeker…", "acquire…" and "thunder…" come with that plan. */
  signIn(name: string): Promise<Person>;
  /** Opens a page of the person's; it is closed with the world. */
  openTab(person: Person, options?: TabOptions): Tab;
}

/** Ready to be used when it settles; every world has its own ports and, unless told otherwise, its own data. */
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
