// The cost of alerts: a thousand people with fifty matches a second each, on the real planner and store,
// against no alerts and against an insert per match; and the effect of hanging receivers on the others.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Delivery } from "#alerts/delivery.ts";
import { createDiscord } from "#alerts/channels/discord/discord.ts";
import { createLinkTokens } from "#alerts/links.ts";
import { anAlertedPerson, type AlertedPerson, startTestPlanner } from "#alerts/plan/planner-world.suite.ts";
import { leafIds } from "#catalogue/categories.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { ActiveFilters } from "#feed/publish/active-filters.ts";
import { CursorSource } from "#feed/publish/cursors.ts";
import { FanOut } from "#feed/publish/fan-out.ts";
import { ingestPage } from "#feed/read/ingest.ts";
import { SeenListings } from "#feed/read/seen-listings.ts";
import { SliceDemand } from "#feed/schedule/slice-demand.ts";
import { SliceStates } from "#feed/schedule/slice-states.ts";
import { sliceOf } from "#feed/schedule/slice.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import { articleAlert } from "#presenters/alerte.ts";
import { systemClock } from "#server/clock.ts";
import type { OpenStore } from "#store/open-store.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { pause, percentile, print } from "./figures.ts";

const PEOPLE = Number(process.env["BENCH_PEOPLE"] ?? "1000");
const LISTINGS_A_SECOND = 50;
const PAGES_A_SECOND = 5;
/** Pages that are published but not recorded yet. */
const UNRECORDED = 4;
const ROUND_S = 2;
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? "20");
/** The limit per filter, below the person's own limit. */
const ALERTS_AN_HOUR = 6;
const INSERTED = 20_000;
const INSERTED_AT_ONCE = 1_000;
const CPU_BAR = 1 / 20;
const PAGE_BAR = 1.05;
const RECEIVERS = 200;
const ALERTS_EACH = 20;
const ANSWER_MS = 5;
const HANGING_BAR = 1.5;

let hasFailed = false;
await planning();
await hanging();
process.exitCode = hasFailed ? 1 : 0;

function verdict(name: string, value: number, bar: number, digits = 2): void {
  const holds = value <= bar;
  if (!holds) hasFailed = true;
  print(name, `${value.toFixed(digits)} (≤ ${bar.toFixed(digits)}: ${holds ? "holds" : "FAILS"})`);
}

async function planning(): Promise<void> {
  await using opened = await openTestStore();
  const { store } = opened;
  const people: AlertedPerson[] = [];
  while (people.length < PEOPLE)
    people.push(await anAlertedPerson(store, { filter: { alertMaxPerHour: ALERTS_AN_HOUR } }));
  const market = createMarket(people);
  const nobody = (): void => undefined;
  await using planner = await startTestPlanner(store, systemClock);
  const everybody = (matches: readonly UserMatch[]): void => planner.publish(matches);
  // A warm-up, not counted: code is compiled, and the first matches are sent.
  const first = await market.run({ seconds: 3, publish: everybody });
  const without: Round[] = [];
  const alerted: Round[] = [];
  // Alternating, so that other load on the machine affects both.
  for (let round = 0; round < SECONDS; round += ROUND_S) {
    without.push(await market.run({ seconds: ROUND_S, publish: nobody }));
    alerted.push(await market.run({ seconds: ROUND_S, publish: everybody }));
  }
  const rows = (await Promise.all(people.map((person) => person.journal()))).flat().length;
  const bound = PEOPLE * ALERTS_AN_HOUR;
  if (rows !== bound) hasFailed = true;
  const sum = (rounds: readonly Round[], of: (round: Round) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0);
  const matches = sum(alerted, (round) => round.matches);
  print("matches of people with alerts", `${matches + first.matches}, ${matches / SECONDS} a second`);
  print("rows written, and the limits' bound", `${rows}, ${bound} (${rows === bound ? "holds" : "FAILS"})`);
  const perMatch = (sum(alerted, ({ cpuMs }) => cpuMs) - sum(without, ({ cpuMs }) => cpuMs)) / matches;
  const perInsert = await insertEvery(store, people);
  print("processor time a match: planned, inserted", `${us(perMatch)}, ${us(perInsert)}`);
  verdict("planned ÷ inserted", perMatch / perInsert, CPU_BAR, 3);
  const p50 = (rounds: readonly Round[]): number =>
    percentile(
      rounds.flatMap(({ pagesMs }) => pagesMs),
      0.5,
    );
  const [plain, withAlerts] = [p50(without), p50(alerted)];
  print("page accepted → matches published, p50 without, with", `${ms(plain)}, ${ms(withAlerts)}`);
  verdict("with ÷ without", withAlerts / plain, PAGE_BAR);
}

function us(durationMs: number): string {
  return `${(durationMs * 1_000).toFixed(2)} µs`;
}

function ms(durationMs: number): string {
  return `${durationMs.toFixed(2)} ms`;
}

/** The measurements of one round of pages. */
interface Round {
  /** From the due time of each page until its matches were published. */
  readonly pagesMs: readonly number[];
  readonly matches: number;
  readonly cpuMs: number;
}

/** Publishes pages of new listings, all of which match every person's filter. */
function createMarket(people: readonly AlertedPerson[]) {
  const demand = new SliceDemand();
  const index = createCubeIndex();
  const filters = new ActiveFilters(index, demand);
  const startMs = Date.now();
  for (const { userId, filterId } of people)
    filters.put(
      aUser({ id: userId, login: userId, plan: "thunder" }),
      [aFilter({ id: filterId, userId, activatedAtMs: startMs - 1_000, createdAtMs: startMs - 1_000 })],
      startMs,
    );
  const parts = {
    index,
    filters,
    demand,
    cursors: new CursorSource(),
    log: createQuietLog(),
  };
  const fanOut = new FanOut(parts);
  const memory = new SeenListings({ maxEntries: 100_000, maxAgeMs: 86_400_000 });
  const slices = new SliceStates();
  slices.update([sliceOf([leafIds[0] ?? 221], null, "thunder")], startMs);
  const [state] = slices.states;
  if (state === undefined) throw new Error("no slice");
  state.mark = { sentAtMs: startMs, receivedAtMs: startMs, highestListingId: 1 };
  let nextId = 7_000_000_000;

  const unrecorded: (readonly UserMatch[])[] = [];

  function onePage(publish: (matches: readonly UserMatch[]) => void): number {
    const nowMs = Date.now();
    const listings = Array.from({ length: LISTINGS_A_SECOND / PAGES_A_SECOND }, () => {
      nextId += 1;
      return aListing({ id: nextId, photoTakenAtUnixS: Math.floor(nowMs / 1_000) });
    }).toReversed();
    const page = { listings, droppedCount: 0, totalPages: 1, receivedAtMs: nowMs };
    if (state === undefined) throw new Error("no slice");
    const { news } = ingestPage(page, state, memory);
    const { matches } = fanOut.batch(news, nowMs);
    publish(matches);
    // The feed keeps published matches until they are recorded, with or without alerts.
    unrecorded.push(matches);
    if (unrecorded.length > UNRECORDED) unrecorded.shift();
    return matches.length;
  }

  return {
    /** The latency of a page counts from its due time, so that other work of the thread shows as waiting. */
    async run({
      seconds,
      publish,
    }: {
      readonly seconds: number;
      readonly publish: (matches: readonly UserMatch[]) => void;
    }): Promise<Round> {
      const pagesMs: number[] = [];
      let matches = 0;
      const cpuBefore = process.cpuUsage();
      const beganMs = performance.now();
      for (let n = 0; n < seconds * PAGES_A_SECOND; n += 1) {
        // Offset from the timers of other components.
        const dueMs = beganMs + ((n + 0.37) * 1_000) / PAGES_A_SECOND;
        await pause(Math.max(0, dueMs - performance.now() - 2));
        while (performance.now() < dueMs) await new Promise((resolve) => setImmediate(resolve));
        matches += onePage(publish);
        pagesMs.push(performance.now() - dueMs);
      }
      const { user, system } = process.cpuUsage(cpuBefore);
      return { pagesMs, matches, cpuMs: (user + system) / 1_000 };
    },
  };
}

/** @returns CPU milliseconds per match when each match is inserted as an alert */
async function insertEvery(store: OpenStore, people: readonly AlertedPerson[]): Promise<number> {
  const nowMs = Date.now();
  const times = { plannedAtMs: nowMs, dueAtMs: nowMs + 3_600_000, giveUpAtMs: nowMs + 7_200_000 };
  const cpuBefore = process.cpuUsage();
  for (let from = 0; from < INSERTED; from += INSERTED_AT_ONCE) {
    const alerts = Array.from({ length: INSERTED_AT_ONCE }, (_, n) => {
      const person = people[(from + n) % people.length];
      if (person === undefined) throw new Error("there are no people");
      const { userId, filterId } = person;
      const listing = aListing({ id: 9_000_000_000 + from + n });
      const message = articleAlert(listing, { filterTag: "Vestes", filterIds: [filterId] });
      return {
        userId,
        type: "article" as const,
        subject: `article:${from + n}`,
        message,
        isLoud: true,
        ...times,
      };
    });
    await store.alerts.outbox.plan({ alerts, counters: [] });
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 1_000 / INSERTED;
}

/** The delay from plan to receiver, when all others answer and when one in ten hangs. */
async function hanging(): Promise<void> {
  const usual = await delays(false);
  const beside = await delays(true);
  const text = (samples: readonly number[]): string =>
    `p50 ${percentile(samples, 0.5).toFixed(0)} ms, p99 ${percentile(samples, 0.99).toFixed(0)} ms (n = ${samples.length})`;
  print("planned → received, all answer", text(usual));
  print("planned → received, one in ten hangs: the others", text(beside));
  verdict("p99 with ÷ without", percentile(beside, 0.99) / percentile(usual, 0.99), HANGING_BAR);
}

async function delays(isOneInTenHanging: boolean): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  const { store } = stack.use(await openTestStore());
  const receiver = stack.use(await startReceiver());
  const delivery = new Delivery({
    outbox: store.alerts.outbox,
    sellers: store.sellers,
    purchaseById: async () => null,
    channels: {
      push: null,
      telegram: null,
      discord: stack.use(createDiscord({ origin: receiver.url, sandboxUrl: null })),
      courriel: null,
    },
    links: createLinkTokens(store.alerts.linkKey),
    publicUrl: "https://synapse.example",
    marketUrl: "https://market.example",
    onLost: () => undefined,
    clock: systemClock,
    log: createQuietLog(),
  });
  stack.defer(() => delivery.stop());
  const people: AlertedPerson[] = [];
  while (people.length < RECEIVERS) {
    const isHanging = isOneInTenHanging && people.length % 10 === 0;
    const address = `${people.length}/${isHanging ? "hangs" : "answers"}`;
    people.push(await anAlertedPerson(store, { channel: "discord", address }));
  }
  delivery.run();
  const plannedAt = new Map<string, number>();
  for (let round = 0; round < ALERTS_EACH; round += 1)
    for (let from = 0; from < RECEIVERS; from += 10) {
      const nowMs = Date.now();
      const alerts = people.slice(from, from + 10).map(({ userId }, n) => {
        const title = `${from + n} ${round}`;
        plannedAt.set(title, performance.now());
        const times = { plannedAtMs: nowMs, dueAtMs: nowMs, giveUpAtMs: nowMs + 3_600_000 };
        const message = { title, body: "", path: "/" };
        return { userId, type: "purchase" as const, subject: randomUUID(), message, isLoud: true, ...times };
      });
      await store.alerts.outbox.plan({ alerts, counters: [] });
      delivery.wake();
      await pause(10_000 / RECEIVERS);
    }
  await pause(3_000);
  const answering = people.flatMap((_, n) => (isOneInTenHanging && n % 10 === 0 ? [] : [n]));
  return answering.flatMap((n) =>
    Array.from({ length: ALERTS_EACH }, (_, round) => {
      const title = `${n} ${round}`;
      return (receiver.receivedAt.get(title) ?? Infinity) - (plannedAt.get(title) ?? 0);
    }),
  );
}

/** Answers after some milliseconds, or never. */
async function startReceiver() {
  const receivedAt = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString("utf8")));
    request.on("end", () => {
      const [, title] = /"title":"([^"]*)"/u.exec(body) ?? [];
      if (title !== undefined) receivedAt.set(title, performance.now());
      if (request.url?.endsWith("/hangs") !== true)
        setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    receivedAt,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
