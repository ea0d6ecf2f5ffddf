import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type CallName, calls } from "#contract/calls.ts";
import { errorAnswer } from "#contract/envelope.ts";
import { type Answer, type Client, type HttpWorld, startHttpWorld } from "./http-world.suite.ts";
import { PAGE_PATHS } from "./plugins/web.ts";
import type { RateClass } from "./rate-limits.ts";

/** Kinds of callers, in the order of the columns below. */
const VISITORS = [
  "anonymous",
  "forged",
  "expired",
  "signed out",
  "level 0",
  "suspended",
  "seeker",
  "acquire",
  "thunder",
  "another person",
] as const;
type VisitorKind = (typeof VISITORS)[number];

interface Row {
  /** A valid body that names nothing of any person. */
  readonly body?: unknown;
  readonly query?: string;
  /** The answer without a session, without a plan, and with each plan. */
  readonly statuses: readonly [noSession: number, noPlan: number, subscriber: number];
}

/** 404 and 409 mean that the call was admitted and found nothing. */
const PANEL = { noSession: 401, noPlan: 403 } as const;
const panel = (subscriber: number, body?: unknown): Row => ({
  ...(body === undefined ? {} : { body }),
  statuses: [PANEL.noSession, PANEL.noPlan, subscriber],
});

const table: Readonly<Record<CallName, Row>> = {
  user: { statuses: [200, 200, 200] },
  signOut: { statuses: [200, 200, 200] },
  keepAlive: { statuses: [401, 200, 200] },
  sessions: { statuses: [401, 200, 200] },
  endSessions: { statuses: [401, 404, 404], body: { id: "somebody-elses" } },
  // The confirmation is wrong, so nothing is deleted; 400 means that the call was admitted.
  deleteAccount: { statuses: [401, 400, 400], body: { confirmation: "supprimer" } },
  state: panel(200),
  filters: panel(200),
  filterActivity: panel(200),
  addFilter: panel(200, { tag: "Matrice" }),
  editFilter: panel(404, { _id: "somebody-elses", tag: "Matrice" }),
  deleteFilters: panel(404, { IDs: ["somebody-elses"] }),
  changeFilters: panel(404, { IDs: ["somebody-elses"], changement: { active: false } }),
  publicFilters: panel(200),
  previewFilter: panel(200, {}),
  exportFilters: { ...panel(404), query: "?ids=somebody-elses" },
  importFilters: panel(200, {
    fichier: { format: "synapse-filtres", version: 1, filtres: [{ tag: "Matrice" }] },
  }),
  readSentence: panel(200, { texte: "robe noire" }),
  copyFilter: panel(404, { _id: "somebody-elses" }),
  groups: panel(200),
  addGroup: panel(404, { nom: "Manteau", filtres: ["somebody-elses"] }),
  editGroup: panel(404, { _id: "somebody-elses", nom: "Manteau", filtres: ["somebody-elses"] }),
  deleteGroup: panel(404, { _id: "somebody-elses" }),
  blockedSellers: panel(200),
  blockSellers: panel(200, { vendeurs: [{ login: "lea75" }] }),
  unblockSeller: panel(200, { login: "lea75" }),
  settings: panel(200),
  token: panel(200),
  editSettings: panel(200, {}),
  alerts: panel(200),
  editAlerts: panel(200, { discord: null }),
  testAlert: panel(409),
  alertCentre: panel(200),
  editAlertCentre: panel(200, {}),
  addAlertDevice: panel(400, {}),
  pairTelegram: panel(200),
  removeAlertChannel: panel(404, { id: "somebody-elses" }),
  testAlertChannel: panel(404, { id: "somebody-elses" }),
  alertJournal: panel(200),
  alertLink: panel(404, { jeton: "somebody-elses" }),
  buyFromAlert: panel(404, { jeton: "somebody-elses" }),
  pauseAlerts: panel(200, { minutes: 0 }),
  purchases: panel(200),
  cancelPurchase: panel(404, { id: 1 }),
  clickPurchase: panel(404, { id: 1 }),
  hidePurchases: panel(200),
  purchaseStory: { ...panel(404), query: "?id=somebody-elses" },
  missedPurchases: panel(200),
  purchaseSummary: panel(200),
  recentArticles: panel(200),
  market: panel(200),
  replayFilter: panel(200, {}),
  marketPrices: { ...panel(200), query: "?type=221" },
  popularPairs: panel(200),
};

/** The calls of each rate, in the order of the table above. */
const callsByRate: Readonly<Partial<Record<RateClass, readonly CallName[]>>> = {
  read: [
    "user",
    "keepAlive",
    "sessions",
    "state",
    "settings",
    "alerts",
    "alertCentre",
    "alertJournal",
    "alertLink",
    "purchaseStory",
    "recentArticles",
  ],
  list: [
    "filters",
    "filterActivity",
    "publicFilters",
    "exportFilters",
    "groups",
    "blockedSellers",
    "marketPrices",
    "popularPairs",
  ],
  history: ["purchases", "missedPurchases"],
  write: [
    "signOut",
    "addFilter",
    "editFilter",
    "deleteFilters",
    "changeFilters",
    "importFilters",
    "copyFilter",
    "addGroup",
    "editGroup",
    "deleteGroup",
    "blockSellers",
    "unblockSeller",
    "cancelPurchase",
    "hidePurchases",
  ],
  preview: ["previewFilter", "readSentence", "purchaseSummary", "market", "replayFilter"],
  settings: ["endSessions", "deleteAccount", "editSettings", "editAlerts", "testAlert"],
  alert: [
    "editAlertCentre",
    "addAlertDevice",
    "pairTelegram",
    "removeAlertChannel",
    "testAlertChannel",
    "pauseAlerts",
  ],
  token: ["token"],
  click: ["buyFromAlert", "clickPurchase"],
};

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
  // First, because the day that expires this session would expire the others too.
  visitors.set("expired", await arrivals.expired());
  const owner = await world.signIn("thunder");
  const added = await owner.post("/filtres/add", { tag: "À moi", private: true });
  ownedFilterId = calls.addFilter.answer.parse(added.body).filtre._id;
});
let ownedFilterId: string;
afterAll(() => world[Symbol.asyncDispose]());

const arrivals: Readonly<Record<VisitorKind, () => Promise<Client>>> = {
  anonymous: async () => world.anonymous,
  forged: async () => world.clientWith(`__Host-sid=${"f".repeat(43)}`),
  async expired() {
    const person = await world.signIn("thunder");
    await world.clock.advance(24 * 3_600_000);
    return person;
  },
  async "signed out"() {
    const person = await world.signIn("thunder");
    await person.get("/auth/out");
    return person;
  },
  "level 0": () => world.signIn("alice"),
  async suspended() {
    const person = await world.signIn("thunder");
    await world.store.users.setSuspended(person.user.id, true);
    return person;
  },
  seeker: () => world.signIn("seeker"),
  acquire: () => world.signIn("acquire"),
  thunder: () => world.signIn("thunder"),
  "another person": () => world.signIn("thunder"),
};

/** Replaces unknown ids by ids of another person. */
function bodyFor({ body }: Row, kind: VisitorKind): unknown {
  if (body === undefined || kind !== "another person") return body;
  return JSON.parse(JSON.stringify(body).replaceAll("somebody-elses", ownedFilterId));
}

const visitors = new Map<VisitorKind, Client>();

/** One visitor of each kind serves all calls except the one that ends the session. */
async function visitorFor(name: CallName, kind: VisitorKind): Promise<Client> {
  const known = visitors.get(kind);
  if (known !== undefined && name !== "signOut") return known;
  const visitor = await arrivals[kind]();
  if (name !== "signOut") visitors.set(kind, visitor);
  return visitor;
}

function expectedStatus({ statuses: [noSession, noPlan, subscriber] }: Row, kind: VisitorKind): number {
  if (kind === "level 0" || kind === "suspended") return noPlan;
  const hasPlan = ["seeker", "acquire", "thunder", "another person"].includes(kind);
  return hasPlan ? subscriber : noSession;
}

// Signing out comes last, since its expired visitor lets a day pass.
const names = (Object.keys(table) as CallName[]).toSorted(
  (one, other) => Number(one === "signOut") - Number(other === "signOut"),
);
const cells = names.flatMap((name) => VISITORS.map((kind) => [name, kind] as const));

test.each(cells)("%s, asked for by %s", async (name, kind) => {
  const row = table[name];
  const visitor = await visitorFor(name, kind);
  const answer = await visitor.send(calls[name].method, `${calls[name].path}${row.query ?? ""}`, {
    body: bodyFor(row, kind),
  });
  expect(answer.status, answer.text).toBe(expectedStatus(row, kind));
  expectShape(name, answer);
});

/** An answer of the contract, or one French sentence and nothing else. */
function expectShape(name: CallName, answer: Answer): void {
  if (answer.status === 200) {
    calls[name].answer.parse(answer.body);
    return;
  }
  const { error, code: _code, champ: _champ, ...rest } = z.strictObject(errorAnswer.shape).parse(answer.body);
  expect(error).toMatch(/^[A-ZÀ-Ý].+\.$/);
  expect(rest).toEqual(calls[name].path.startsWith("/filtres/") ? { success: false } : {});
}

test("every route that exists is in this table, or is for everybody by its nature", () => {
  const declared = new Set(
    [...world.app.declaredRoutes].flatMap(([path, rules]) =>
      [...rules.keys()].map((method) => `${method} ${path}`),
    ),
  );
  const known = new Set([
    ...Object.values(calls).map(({ method, path }) => `${method} ${path}`),
    "GET /auth/discord",
    "GET /auth/discord/callback",
    ...["/health", ...PAGE_PATHS].flatMap((path) => [`GET ${path}`, `HEAD ${path}`]),
  ]);
  expect([...declared].filter((route) => !known.has(route))).toEqual([]);
  expect([...known].filter((route) => !declared.has(route))).toEqual([]);
});

test("each call has its rate", () => {
  const byRate: Record<string, CallName[]> = {};
  for (const name of Object.keys(table) as CallName[]) {
    const { method, path } = calls[name];
    const rate = world.app.declaredRoutes.get(path)?.get(method)?.rate ?? "none";
    (byRate[rate] ??= []).push(name);
  }
  expect(byRate).toEqual(callsByRate);
});
