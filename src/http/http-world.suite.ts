/** The HTTP server on a real store, with sign-ins through the real sandbox. */
import { randomBytes, randomUUID } from "node:crypto";
import { createAlerts, type AlertsDeps } from "#alerts/alerts.ts";
import { createOAuth } from "#auth/oauth.ts";
import { sandboxProvider } from "#auth/provider-calls.ts";
import { createSessions, type Sessions } from "#auth/sessions.ts";
import { createSignIn } from "#auth/sign-in.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import { ownOrigins } from "#domain/network.ts";
import type { User } from "#domain/user.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { createAccountSessions } from "#purchasing/account/account-sessions.ts";
import { createPurchasing } from "#purchasing/engine.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { eraseOwnAccount } from "#server/erase-person.ts";
import { createEventBus } from "#server/events.ts";
import { createSystemRandom } from "#server/random.ts";
import { isStoreAway } from "#store/errors.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog, type LoggedLine } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createHttpApp } from "./app.ts";
import type { HttpConfig, HttpDeps } from "./http-deps.ts";
import type { App } from "./route-rule.ts";
import { clickRefusal } from "./routes/purchase.ts";
import { aMarketMemory } from "#verify/testing/archived.ts";
import { aMarketplaceAt, startTestSandbox } from "#verify/testing/a-sandbox.ts";

const PUBLIC_URL = "http://localhost:3000";
/** The discard port, on which nothing listens. */
const NOWHERE = "http://127.0.0.1:9";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
  readonly cookies: readonly string[];
}

interface Sending {
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser with or without a session: sends the headers of the product's pages and a cookie. */
export interface Client {
  readonly cookie: string;
  get(path: string, sending?: Sending): Promise<Answer>;
  post(path: string, body?: unknown, sending?: Sending): Promise<Answer>;
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
}

export interface Person extends Client {
  readonly user: User;
}

export interface HttpWorld extends AsyncDisposable {
  readonly app: App;
  readonly store: TestStore["store"];
  readonly sessions: Sessions;
  readonly clock: FakeClock;
  readonly log: readonly LoggedLine[];
  readonly events: readonly ProductEvent[];
  /** The events about one person: other people's background work publishes at any moment. */
  eventsOf(person: Person): readonly ProductEvent[];
  readonly sandboxUrl: string;
  readonly anonymous: Client;
  clientWith(cookie: string): Client;
  /** Signs in as a new persona whose name begins with `kind`: "seeker", "acquire", "thunder" or any other. */
  signIn(kind: string): Promise<Person>;
  /** A complete sign-in with the given name; returns the callback's answer. */
  signInAs(name: string, cookie?: string): Promise<Answer>;
}

export interface HttpWorldOptions {
  readonly config?: Partial<HttpConfig>;
  readonly feed?: HttpDeps["feed"];
  readonly fault?: HttpDeps["fault"];
  /** The address of Discord's webhooks; absent: one that does not answer. */
  readonly discordUrl?: string;
}

export async function startHttpWorld(options: HttpWorldOptions = {}): Promise<HttpWorld> {
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await openTestStore());
  const log = createQuietLog();
  const sandbox = await startTestSandbox();
  opening.defer(() => sandbox.stop());
  const clock = new FakeClock();
  const events = createEventBus(log);
  const published: ProductEvent[] = [];
  events.subscribe((event) => void published.push(event));
  const sandboxUrl = `http://localhost:${sandbox.port}`;
  const sessions = createSessions({ sessions: store.sessions, events, clock });
  const oauth = createOAuth({
    provider: sandboxProvider({ url: sandbox.url, publicUrl: sandboxUrl }),
    publicUrl: PUBLIC_URL,
    cookieKey: randomBytes(32),
    clock,
  });
  const marketplace = opening.use(aMarketplaceAt(sandbox.url, { clock }));
  const purchasing = purchasingOf({ store, clock, events, log, marketplace });
  const alerts = await createAlerts({
    store,
    purchasing,
    events,
    clock,
    log,
    onBatch: () => () => undefined,
    // Only alerts that people request are sent here.
    lead: () => ({ run: async () => undefined, stop: async () => undefined }),
    isSoleNode: true,
    isStoreAway,
    refusalText: (outcome) => clickRefusal(outcome).text,
    options: alertsOptions(sandbox.url, options.discordUrl),
  });
  await alerts.run();
  opening.defer(() => alerts.stop());
  const memory = aMarketMemory({ archive: store.archive, clock, log });
  opening.defer(() => memory.stop());
  const app = await createHttpApp({
    alerts,
    config: configOf(sandboxUrl, options.config),
    store,
    sessions,
    signIn: createSignIn({ oauth, sessions, store, events, clock, log }),
    purchasing,
    eraseAccount: (user) => eraseOwnAccount(user, { store, sessions, purchasing, events, clock, log }),
    feed: options.feed ?? null,
    sharedPace: null,
    memory,
    events,
    clock,
    random: createSystemRandom(),
    log,
    isStoreAway,
    fault: options.fault ?? (() => null),
  });
  opening.defer(() => app.close());
  const resources = opening.move();
  return {
    app,
    store,
    sessions,
    clock,
    log: log.lines,
    events: published,
    eventsOf: ({ user }) => published.filter((event) => "userId" in event && event.userId === user.id),
    sandboxUrl,
    ...clientsOf(app, store),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function configOf(sandboxUrl: string, changes: Partial<HttpConfig> = {}): HttpConfig {
  return {
    publicUrl: PUBLIC_URL,
    marketUrl: sandboxUrl,
    imageSources: [sandboxUrl],
    webRoot: "/nowhere",
    supportEmail: "aide@synapse.example",
    trustedProxies: [],
    readsPerSecond: 20,
    minPriceDays: 7,
    archiveDays: 30,
    areRateLimitsOn: true,
    isSandbox: true,
    ...changes,
  };
}

function alertsOptions(sandboxUrl: string, discordUrl = NOWHERE): AlertsDeps["options"] {
  return {
    publicUrl: PUBLIC_URL,
    marketUrl: sandboxUrl,
    supportEmail: "aide@synapse.example",
    sandbox: { url: sandboxUrl, publicUrl: sandboxUrl, origins: ownOrigins(sandboxUrl) },
    discordUrl,
    telegram: { origin: `${sandboxUrl}/telegram`, token: "sandbox", isSandbox: true },
    mail: null,
    hourMs: 3_600_000,
  };
}

/** The real engine, not running: it answers calls and starts nothing on its own. */
function purchasingOf(parts: {
  readonly store: TestStore["store"];
  readonly clock: Clock;
  readonly events: EventBus;
  readonly log: Log;
  readonly marketplace: Marketplace;
}): Purchasing {
  const deps = {
    ...parts,
    random: createSystemRandom(),
    owner: randomUUID(),
    isStoreAway: () => false,
    isAlive: () => true,
  };
  return createPurchasing({
    ...deps,
    checkout: parts.marketplace,
    sessions: createAccountSessions({ ...deps, accounts: parts.store.accounts }),
    stories: parts.store.stories,
    isSoleNode: true,
    followsUp: false,
    requiredMandate: null,
    minPriceDays: 7,
    reconcileMs: 5_000,
  });
}

let personCount = 0;

function clientsOf(
  app: App,
  store: TestStore["store"],
): Pick<HttpWorld, "anonymous" | "clientWith" | "signIn" | "signInAs"> {
  const clientWith = (cookie: string): Client => clientOf(app, cookie);
  const anonymous = clientWith("");

  async function signInAs(name: string, cookie = ""): Promise<Answer> {
    const begun = await clientWith(cookie).get("/auth/discord");
    const approved = await fetch(`${String(begun.headers["location"])}&persona=${name}`, {
      redirect: "manual",
    });
    const callback = new URL(approved.headers.get("location") ?? "");
    return clientWith(begun.cookies.join("; ")).get(`${callback.pathname}${callback.search}`);
  }

  return {
    anonymous,
    clientWith,
    signInAs,
    async signIn(kind) {
      personCount += 1;
      const name = `${kind}-${personCount}`;
      const answer = await signInAs(name);
      const user = await store.users.find(name);
      if (user === null) throw new Error(`${name} did not get in: ${answer.status}`);
      return { ...clientWith(answer.cookies.join("; ")), user };
    },
  };
}

function clientOf(app: App, cookie: string): Client {
  async function send(method: string, path: string, { body, headers }: Sending = {}): Promise<Answer> {
    const isText = typeof body === "string";
    const response = await app.inject({
      // The types allow only the usual methods, but unusual ones are tested as well.
      method: method as "GET",
      url: path,
      headers: {
        host: "localhost:3000",
        ...(cookie === "" ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: parseBody(response.body),
      cookies: sentBack(response.headers["set-cookie"]),
    };
  }

  return {
    cookie,
    send,
    get: (path, sending) => send("GET", path, sending),
    post: (path, body, sending) =>
      send("POST", path, { ...sending, ...(body === undefined ? {} : { body }) }),
  };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The cookies that a browser sends back, without cleared ones. */
function sentBack(setCookies: readonly string[] | string | undefined): readonly string[] {
  return [setCookies ?? []]
    .flat()
    .filter((text) => !text.includes("Max-Age=0"))
    .map((text) => text.split(";", 1)[0] ?? "");
}
