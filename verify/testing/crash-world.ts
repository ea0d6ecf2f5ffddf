import { setTimeout as pause } from "node:timers/promises";
import { type Answer, calls } from "#contract/calls.ts";
import {
  ACHAT_ANNULE,
  ACHAT_CONFIRME,
  ACHAT_EN_ATTENTE,
  FICHIER_FORMAT,
  FICHIER_VERSION,
} from "#contract/bounds.ts";
import { DAY_MS, HOUR_MS } from "#domain/clock.ts";
import { freePort } from "./free-port.ts";
import { type Person, signInAt } from "./person.ts";
import { type ProductProcess, spawnProduct } from "./product-process.ts";
import { type SandboxClient, type TrueOrder, sandboxClient } from "./sandbox-client.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { preparedFolder } from "./test-store.ts";

/** The product as a process that is killed repeatedly, with a sandbox that keeps running. */
export interface CrashWorld extends AsyncDisposable {
  readonly sandbox: SandboxClient;
  /** One run of the product, killed while purchases, clicks, cancellations and saves are in flight. */
  runUntilKilled(life: ProductRun): Promise<void>;
  /** A last run in which all work completes. @returns the violated invariants */
  violations(): Promise<readonly string[]>;
  counts(): Promise<{ readonly payments: number; readonly acknowledged: number }>;
}

interface ProductRun {
  /** Settings of this run only. */
  readonly env?: Readonly<Record<string, string>>;
  /** Before the start. */
  readonly prepare?: (sandbox: SandboxClient) => Promise<void>;
  /** Settles when the process is to be killed or has exited. */
  readonly untilKill: (product: ProductProcess, buyer: Person) => Promise<void>;
}

interface CrashWorldOptions {
  /** The product's data directory in every run; a temporary folder by default. */
  readonly dataDir?: string;
  /** Settings of every run. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Successfully answered writes, which the store must keep. */
interface Acknowledged {
  readonly filterTags: Set<string>;
  readonly purchaseIds: Set<string>;
  /** The possible limits: the last acknowledged one and those sent since. */
  limits: number[];
  count: number;
}

/** A group of filters, or a single filter, with the number of purchases and the total price that its rules allow. */
interface CrashGroup {
  readonly word: string;
  readonly purchases: number;
  readonly budgetEur: number;
  readonly filterIds: readonly string[];
}

/** The list of recent articles covers at least this many runs. */
const CHECKED_RUNS = 10;
const GROUP_PURCHASES = 3;
const GROUP_PRICE_EUR = 6;
/** With the protection fee and the highest shipping price: 6 + 1 + 6.09. */
const DEAREST_EUR = 13.09;
/** The first suffices for all purchases of its group; the second runs out before the last one. */
const GROUP_BUDGETS_EUR = [40, 24];

/** Each is bound by a rule of its own; one listing with its word is published in each run. */
const BOUND_FILTERS = [
  { word: "plancher", purchases: 0, budgetEur: 0, terms: { limit_min: 50 } },
  // Runs end long before that day and those hours.
  { word: "autrejour", purchases: 0, budgetEur: 0, terms: { regles: { jours: [parisDayIn(3)] } } },
  { word: "autreheure", purchases: 0, budgetEur: 0, terms: { regles: { heures: parisHoursIn(8) } } },
  // The price alone does not exceed it, with its shipping it does.
  { word: "journee", purchases: 0, budgetEur: 0, terms: { regles: { budget_jour: 6 } } },
  { word: "repos", purchases: 1, budgetEur: 11, terms: { regles: { pause: 10_080 } } },
  // Enough for one, with so much left that the filter buys on.
  { word: "somme", purchases: 1, budgetEur: 11, terms: { regles: { budget_total: 11 } } },
];
const BOUND_TITLE = "Gilet";
const IMPORTED_WORD = "importe";
const KNOWN_WORD = "connue";

const LISTINGS_PER_RUN = 3;
const ANY_LIMIT = 90_000;
const SETTLE_TIMEOUT_MS = 600_000;
const CLICK_TIMEOUT_MS = 40_000;

export async function startCrashWorld(options: CrashWorldOptions = {}): Promise<CrashWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const dataDir = options.dataDir ?? stack.use(await preparedFolder()).path;
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const market = stack.use(
    spawnProduct({
      SERVICES: "sandbox",
      SANDBOX_PORT: String(sandboxPort),
      DATA_DIR: `${folder.path}/market`,
    }),
  );
  await market.ready;
  const world = new KilledProduct(sandboxClient(sandboxUrl), `http://localhost:${port}`, {
    PORT: String(port),
    SANDBOX_URL: sandboxUrl,
    DATA_DIR: dataDir,
    RATE_LIMITS: "off",
    RECONCILE_SECONDS: "2",
    ...options.env,
  });
  const resources = stack.move();
  return {
    sandbox: world.sandbox,
    runUntilKilled: (life) => world.runUntilKilled(life),
    violations: () => world.violations(),
    counts: () => world.counts(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

class KilledProduct {
  readonly sandbox: SandboxClient;
  readonly #url: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #acknowledged: Acknowledged = {
    filterTags: new Set(),
    purchaseIds: new Set(),
    limits: [],
    count: 0,
  };
  #buyer: Person | null = null;
  readonly #groups: CrashGroup[] = [];
  /** Listings that the filter with seller conditions must have shown in the end. */
  readonly #asking: { readonly life: number; readonly id: number }[] = [];
  readonly #blocked = new Set<string>();
  /** Groups that were seen complete. */
  readonly #complete = new Set<string>();
  readonly #notEnded = new Set<string>();
  #lastMail = 0;
  #mailedEnds = 0;
  #lives = 0;

  constructor(sandbox: SandboxClient, url: string, settings: Readonly<Record<string, string>>) {
    this.sandbox = sandbox;
    this.#url = url;
    this.#settings = settings;
  }

  async runUntilKilled({ env, prepare, untilKill }: ProductRun): Promise<void> {
    this.#lives += 1;
    // The first run only signs in, which is not under test here.
    if (this.#buyer === null) await this.#signIn();
    await this.sandbox.resetCounters();
    await prepare?.(this.sandbox);
    await using product = spawnProduct({ ...this.#settings, ...env });
    const dying = untilKill(product, this.#person());
    // It may be killed before it is ready.
    await Promise.race([product.ready.catch(() => undefined), dying]);
    const acting = this.#act();
    await dying;
    product.kill("SIGKILL");
    await product.ended;
    await acting;
  }

  async #signIn(): Promise<void> {
    await using product = spawnProduct(this.#settings);
    await product.ready;
    const buyer = await signInAt(this.#url, "thunder-lea");
    const limites = { jour: ANY_LIMIT, mois: 100_000, achats_jour: 100_000 };
    await buyer.call("editSettings", { limites });
    const all = { limit: 100, autobuy: true };
    await buyer.call("addFilter", { tag: "Tout", mots: ["crash"], ...all });
    await buyer.call("addFilter", { tag: "Règles", mots: ["regle"], ...all, regles: { vendeur_jour: 1 } });
    const vendeur = { note_min: 4, avis_min: null, pays: [], inconnu: "laisser_passer" as const };
    // Its matches wait for the seller's profile, and pass when it is missing.
    await buyer.call("addFilter", { tag: "Vendeurs", mots: ["demande"], ...all, vendeur });
    for (const { word, terms, ...bounds } of BOUND_FILTERS) {
      const { filtre } = await buyer.call("addFilter", { tag: word, mots: [word], ...all, ...terms });
      this.#groups.push({ word, ...bounds, filterIds: [filtre._id] });
    }
    const { filtres = [] } = await importBuying(buyer, 0);
    const filterIds = filtres.map(({ _id }) => _id);
    this.#groups.push({ word: IMPORTED_WORD, purchases: 0, budgetEur: 0, filterIds });
    // Shows a listing only once its seller is known.
    const retenir = { ...vendeur, inconnu: "retenir" as const };
    await buyer.call("addFilter", { tag: "Connues", mots: [KNOWN_WORD], limit: 100, vendeur: retenir });
    await this.#showKnown(buyer);
    this.#acknowledged.limits = [ANY_LIMIT];
    this.#buyer = buyer;
  }

  /** Runs everything concurrently; a call that fails because the process was killed is ignored. */
  async #act(): Promise<void> {
    const buyer = this.#person();
    const n = this.#lives;
    const clicked = await quietly(async () => {
      // Unknown outcomes trip the person's stop switch; here purchases must go on.
      await buyer.call("editSettings", { limites: { arret: false } });
      await this.#reconnect(buyer);
      const words = [IMPORTED_WORD, ...BOUND_FILTERS.map(({ word }) => word)];
      await this.sandbox.publish([
        ...Array.from({ length: LISTINGS_PER_RUN }, (_, i) => ({ title: `Robe crash ${n}-${i}`, price: 5 })),
        ...words.map((word) => ({ title: `${BOUND_TITLE} ${n} ${word}`, price: 5, shipping: 1 })),
      ]);
      await this.#block(buyer, n);
      await importBuying(buyer, n);
      const ruled = { title: `Jean regle-${n}.`, price: 5, seller: `regle-${n}` };
      await this.sandbox.publish([ruled, ruled]);
      const [asking] = await this.sandbox.publish({
        title: `Veste demande ${n}`,
        price: 5,
        seller: `vendeuse-${n}`,
      });
      if (asking !== undefined) this.#asking.push({ life: n, id: asking.id });
      for (const budgetEur of GROUP_BUDGETS_EUR) {
        const word = await this.#openGroup(buyer, `groupe${budgetEur}n${n}`, budgetEur);
        const places = Array.from({ length: GROUP_PURCHASES }, (_, i) => `Manteau ${n}-${i} ${word}`);
        await this.sandbox.publish(places.map((title) => ({ title, price: GROUP_PRICE_EUR })));
      }
      return (await this.sandbox.publish({ title: `Jupe ${n}`, price: 7 }))[0];
    });
    await Promise.all([
      this.#save(buyer, n),
      this.#cancelOne(buyer),
      clicked === undefined || clicked === null ? null : this.#click(buyer, clicked.id),
    ]);
    // The session is rejected only at the first check of the account.
    await quietly(() => this.#reconnect(buyer));
  }

  /** The keyword of a group with this budget that can still buy; creates a new group otherwise. */
  async #openGroup(buyer: Person, word: string, budgetEur: number): Promise<string> {
    const groupes = await this.#noteEnds(buyer);
    const own = groupes.filter(({ budget }) => budget === budgetEur);
    const buying = own.filter(
      ({ etat, pris }) => etat === "ouvert" && budgetEur - Number(pris.montant.amount) >= DEAREST_EUR,
    );
    const known = this.#groups.find(({ filterIds }) =>
      buying.some(({ filtres }) => filterIds.includes(filtres[0] ?? "")),
    );
    if (known !== undefined) return known.word;
    const ended = own.flatMap(({ filtres }) => filtres);
    // The number of filters per person is limited; deleting them keeps their purchases.
    if (ended.length > 0) await buyer.call("deleteFilters", { IDs: ended });
    const filterIds: string[] = [];
    const terms = { mots: [word], limit: 100, autobuy: true, types: { ids: [] } };
    // Inactive until they are grouped: an ungrouped filter would buy without a limit.
    for (let place = 0; place < GROUP_PURCHASES; place += 1) {
      const { filtre } = await buyer.call("addFilter", { tag: `${word} ${place}`, ...terms, active: false });
      filterIds.push(filtre._id);
    }
    const bounds = { achats: GROUP_PURCHASES, budget: budgetEur };
    await buyer.call("addGroup", { nom: word, ...bounds, filtres: filterIds });
    await buyer.call("changeFilters", { IDs: filterIds, changement: { active: true } });
    this.#groups.push({ word, purchases: GROUP_PURCHASES, budgetEur, filterIds });
    return word;
  }

  /** Reads the groups; of one that is complete no filter may buy, and each says why. */
  async #noteEnds(buyer: Person) {
    const { groupes } = await buyer.call("groups");
    const { filtres } = await buyer.call("filters");
    for (const { _id, nom } of groupes.filter(({ etat }) => etat === "complet")) {
      this.#complete.add(_id);
      const isOn = filtres.some(
        ({ groupe, autobuy, arret }) => groupe === _id && (autobuy || arret?.raison !== "groupe"),
      );
      if (isOn) this.#notEnded.add(`the group ${nom} is complete, and a filter of it has not ended`);
    }
    return groupes;
  }

  /** The ends of complete groups that were not delivered: each is mailed at least once. */
  async #undelivered(): Promise<readonly string[]> {
    await this.#noteEnds(this.#person());
    for (const { n, contenu } of await this.sandbox.receptions("courriel", "", this.#lastMail)) {
      this.#lastMail = n;
      if (JSON.stringify(contenu).includes("Achat automatique arrêté")) this.#mailedEnds += 1;
    }
    const ended = this.#complete.size;
    if (this.#mailedEnds >= ended) return [];
    return [`${ended} groups are complete, and ${this.#mailedEnds} ends were mailed`];
  }

  /** Publishes a listing of a seller who was looked up in the first run, and waits until it is shown. */
  async #showKnown(buyer: Person): Promise<void> {
    const known = { title: `Cape ${KNOWN_WORD} ${this.#lives}`, price: 5, seller: "habituelle" };
    const [listing] = await this.sandbox.publish(known);
    const giveUpAtMs = Date.now() + SETTLE_TIMEOUT_MS;
    while (!(await recentOf(buyer)).some(({ id }) => id === listing?.id)) {
      if (Date.now() > giveUpAtMs) throw new Error("the listing of a known seller is not shown");
      await pause(100);
    }
  }

  /** A later process answers from what is stored. */
  async #repeatedLookUps(): Promise<readonly string[]> {
    const count = async (): Promise<number> => (await this.sandbox.requests()).by_route["user"] ?? 0;
    const before = await count();
    await this.#showKnown(this.#person());
    const repeated = (await count()) - before;
    return repeated === 0 ? [] : [`a known seller was looked up ${repeated} more times`];
  }

  /** Blocks a seller before they publish: nothing of theirs may be bought, even when the answer was lost. */
  async #block(buyer: Person, n: number): Promise<void> {
    const login = `bloque-${n}`;
    await quietly(async () => {
      await buyer.call("blockSellers", { vendeurs: [{ login }] });
      this.#blocked.add(login);
    });
    await this.sandbox.publish({ title: `Robe crash bloque-${n}.`, price: 5, seller: login });
  }

  /** Purchases and listings of blocked sellers, lost acknowledged blocks, and matches that were held and never shown. */
  async #brokenRules(): Promise<readonly string[]> {
    const buyer = this.#person();
    const { vendeurs } = await buyer.call("blockedSellers");
    const purch = await purchasesOf(buyer);
    const items = await recentOf(buyer);
    const logins = new Set(vendeurs.map(({ login }) => login));
    const shown = new Set(items.map(({ id }) => id));
    return [
      ...[...this.#blocked]
        .filter((login) => !logins.has(login))
        .map((login) => `the block of ${login} is lost`),
      ...[...logins]
        .filter((login) => purch.some(({ product }) => product.title.endsWith(`${login}.`)))
        .map((login) => `something of ${login} was bought`),
      ...[...logins]
        .filter((login) => items.some(({ title }) => title.endsWith(`${login}.`)))
        .map((login) => `something of ${login} is shown`),
      ...(await this.#undelivered()),
      ...twiceAmong(
        purch
          .filter(({ status, product: { title } }) => status === ACHAT_CONFIRME && title.includes("regle-"))
          .map(({ product: { title } }) => title),
      ).map((title) => `two of ${title} were bought of one seller in a day`),
      ...this.#asking
        .filter(({ life, id }) => life > this.#lives - CHECKED_RUNS && !shown.has(id))
        .map(({ id }) => `${id} was held and never shown`),
    ];
  }

  /** Groups and filters that bought more than their rules allow, according to the marketplace. */
  async #overfullGroups(): Promise<readonly string[]> {
    const orders = (await this.sandbox.orders()).filter(
      ({ state, payments }) => state === "paid" && payments > 0,
    );
    const purch = await purchasesOf(this.#person());
    return this.#groups.flatMap(({ word, purchases, budgetEur, filterIds }) => {
      const own = new Set(
        purch.filter(({ filtre }) => filterIds.includes(filtre ?? "")).map((row) => row.id_transaction),
      );
      const paid = orders.filter((order) => own.has(order.transaction_id));
      const eur = paid.reduce((sum, { total }) => sum + Number(total.amount), 0);
      return [
        ...(paid.length > purchases ? [`${paid.length} are paid for ${word}`] : []),
        ...(eur > budgetEur ? [`${eur} EUR are paid for ${word}`] : []),
      ];
    });
  }

  /** A process that dies between a token refresh and its commit loses the session. */
  async #reconnect(buyer: Person): Promise<void> {
    const { vinted } = await buyer.call("settings");
    if (vinted.etat !== "connecte") await buyer.call("editSettings", { token: "sandbox-thunder-lea" });
  }

  async #save(buyer: Person, n: number): Promise<void> {
    const tag = `Sauvé ${n}`;
    await quietly(async () => {
      await buyer.call("addFilter", { tag, active: false });
      this.#acknowledged.filterTags.add(tag);
      this.#acknowledged.count += 1;
    });
    const jour = ANY_LIMIT - n;
    this.#acknowledged.limits.push(jour);
    await quietly(async () => {
      await buyer.call("editSettings", { limites: { jour } });
      this.#acknowledged.limits = [jour];
      this.#acknowledged.count += 1;
    });
  }

  /** Retries on 404 (the feed has not read it yet) and 409 (three unknown outcomes are being reconciled). */
  async #click(buyer: Person, id: number): Promise<void> {
    const giveUpAtMs = Date.now() + CLICK_TIMEOUT_MS;
    await quietly(async () => {
      for (;;) {
        const { status, body } = await buyer.raw("POST", "/purchase/click", { id });
        if (status === 200) return this.#acknowledge(body);
        if ((status !== 404 && status !== 409) || Date.now() > giveUpAtMs) return undefined;
        await pause(status === 404 ? 100 : 500);
      }
    });
  }

  #acknowledge(body: unknown): void {
    const id = purchaseIdOf(body);
    if (id === null) return;
    this.#acknowledged.purchaseIds.add(id);
    this.#acknowledged.count += 1;
  }

  async #cancelOne(buyer: Person): Promise<void> {
    await quietly(async () => {
      const { purch } = await buyer.call("purchases");
      const confirmed = purch.find(
        ({ status, annulation, product: { title } }) =>
          // A cancel gives back the place that a rule allows.
          status === ACHAT_CONFIRME && annulation === undefined && !title.startsWith(BOUND_TITLE),
      );
      if (confirmed?.id_transaction !== null && confirmed !== undefined)
        await buyer.call("cancelPurchase", { id: confirmed.id_transaction });
    });
  }

  async violations(): Promise<readonly string[]> {
    await this.sandbox.clearFaults();
    await using product = spawnProduct(this.#settings);
    await product.ready;
    await this.#reconnect(this.#person());
    const giveUpAtMs = Date.now() + SETTLE_TIMEOUT_MS;
    let found = [...(await this.#disagreements()), ...(await this.#brokenRules())];
    while (found.length > 0 && Date.now() < giveUpAtMs) {
      await pause(500);
      // A session lost by an earlier kill is rejected only when it is next used, which may be now.
      await this.#reconnect(this.#person());
      found = [...(await this.#disagreements()), ...(await this.#brokenRules())];
    }
    return [
      ...found,
      ...this.#notEnded,
      ...(await this.#overfullGroups()),
      ...(await this.#lostWrites()),
      ...(await this.#repeatedLookUps()),
    ];
  }

  /** The marketplace's orders and the product's purchases must agree, and nothing may be paid twice. */
  async #disagreements(): Promise<readonly string[]> {
    const orders = (await this.sandbox.orders()).filter(({ payments }) => payments > 0);
    const rows = await purchasesOf(this.#person());
    const shown = rows.filter(({ status }) => status === ACHAT_CONFIRME || status === ACHAT_ANNULE);
    const pairs = new Map(shown.map((row) => [`${row.id_transaction} ${row.product.id}`, row]));
    const paidItems = orders.map((order) => order.item_id);
    return [
      ...rows
        .filter(({ status }) => status === ACHAT_EN_ATTENTE)
        .map((row) => `${row.product.id} is still waiting`),
      ...rows
        .filter(({ annulation }) => annulation !== undefined)
        .map((row) => `${row.product.id} is still being cancelled`),
      ...rows
        .filter(({ source }) => source === "externe")
        .map((row) => `${row.product.id} is taken for somebody else's`),
      ...orders
        .filter(({ payments }) => payments > 1)
        .map((order) => `order ${order.transaction_id} is paid twice`),
      ...twiceAmong(paidItems).map((id) => `item ${id} has two paid orders`),
      ...orders.flatMap((order) =>
        disagreement(order, pairs.get(`${order.transaction_id} ${order.item_id}`)?.status),
      ),
      ...rows
        .filter(({ status }) => status === ACHAT_CONFIRME)
        .filter((row) => !orders.some((order) => order.transaction_id === row.id_transaction))
        .map((row) => `purchase ${row._id} is confirmed without an order`),
    ];
  }

  async #lostWrites(): Promise<readonly string[]> {
    const buyer = this.#person();
    const { filtres } = await buyer.call("filters");
    const { vinted } = await buyer.call("settings");
    const purch = await purchasesOf(buyer);
    const tags = new Set(filtres.map(({ tag }) => tag));
    const ids = new Set(purch.map(({ _id }) => _id));
    const { filterTags, purchaseIds, limits } = this.#acknowledged;
    return [
      ...[...filterTags].filter((tag) => !tags.has(tag)).map((tag) => `the filter "${tag}" is lost`),
      ...[...purchaseIds].filter((id) => !ids.has(id)).map((id) => `the click ${id} is lost`),
      ...(limits.includes(vinted.limites.jour)
        ? []
        : [`the limit is ${vinted.limites.jour}, not one of ${limits.join()}`]),
    ];
  }

  async counts(): Promise<{ readonly payments: number; readonly acknowledged: number }> {
    const orders = await this.sandbox.orders();
    return {
      payments: orders.reduce((sum, order) => sum + order.payments, 0),
      acknowledged: this.#acknowledged.count,
    };
  }

  #person(): Person {
    if (this.#buyer === null) throw new Error("nobody has signed in yet");
    return this.#buyer;
  }
}

/** Replaces one filter by a file that claims that it buys. */
async function importBuying(buyer: Person, n: number) {
  const claims = { active: true, autobuy: true, private: false };
  const filtre = { tag: "Importé", mots: [IMPORTED_WORD], limit: 100 + n, ...claims };
  return await buyer.call("importFilters", {
    fichier: { format: FICHIER_FORMAT, version: FICHIER_VERSION, filtres: [filtre] },
    remplacer: true,
  });
}

/** All of them: an answer has at most a thousand. */
async function purchasesOf(buyer: Person) {
  const all: Answer<"purchases">["purch"][number][] = [];
  for (let path = "/vinted/purchases"; ; path = `/vinted/purchases?avant=${all.at(-1)?._id ?? ""}`) {
    const { purch } = calls.purchases.answer.parse((await buyer.raw("GET", path)).body);
    if (purch.length === 0) return all;
    all.push(...purch);
  }
}

async function recentOf(buyer: Person) {
  const { body } = await buyer.raw("GET", "/articles/recent?limit=200");
  return calls.recentArticles.answer.parse(body).items;
}

/** The day of the week in Paris, 1 is Monday. */
function parisDayIn(days: number): number {
  const day = new Date(Date.now() + days * DAY_MS).toLocaleDateString("sv-SE", { timeZone: "Europe/Paris" });
  return new Date(day).getUTCDay() || 7;
}

/** One hour in Paris, this many hours from now. */
function parisHoursIn(hours: number): { readonly de: string; readonly a: string } {
  const timeIn = (hoursFromNow: number): string =>
    new Date(Date.now() + hoursFromNow * HOUR_MS)
      .toLocaleTimeString("sv-SE", { timeZone: "Europe/Paris" })
      .slice(0, 5);
  return { de: timeIn(hours), a: timeIn(hours + 1) };
}

function disagreement(
  { transaction_id: id, state }: TrueOrder,
  status: number | undefined,
): readonly string[] {
  const wanted = state === "cancelled" ? ACHAT_ANNULE : ACHAT_CONFIRME;
  if (status === wanted) return [];
  return [
    `order ${id} is ${state}, the product ${status === undefined ? "does not list it" : `says ${status}`}`,
  ];
}

function twiceAmong<Item>(items: readonly Item[]): readonly Item[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}

function purchaseIdOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("purchase" in body)) return null;
  const { purchase } = body;
  if (typeof purchase !== "object" || purchase === null || !("_id" in purchase)) return null;
  return typeof purchase._id === "string" ? purchase._id : null;
}

async function quietly<Result>(act: () => Promise<Result>): Promise<Result | null> {
  try {
    return await act();
  } catch {
    return null;
  }
}
