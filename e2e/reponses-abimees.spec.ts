/**
 * With any single invalid value in an answer or socket event, the page must still show its heading, one
 * <main> and everything in the other values, and no technical text. The page sees an answer only through its reader
 * (web/api/panel-answers.ts): of the answers that are read alike, one is rendered.
 */
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { mock } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { CallName } from "#contract/calls.ts";
import { newFiltre } from "#contract/filtres/filtre.ts";
import { routes } from "#contract/routes.ts";
import { readCentre } from "#web/api/alerts/alert-centre.ts";
import { readAnswer, UnreadableAnswer } from "#web/api/answers.ts";
import { readFlux } from "#web/api/panel-answers.ts";
import { readReplay } from "#web/features/filtres/replay/replay-query.ts";
import { readPrices } from "#web/features/prix/price-queries.ts";
import { signInAt, type Person } from "../verify/testing/person.ts";
import { FRENCH, takeSession } from "./browser.ts";
import {
  childOf,
  isList,
  pathsIn,
  withValue,
  withWrongValue,
  wrongValues,
  type Json,
  type Path,
} from "./wrong-values.ts";
import { expect, test } from "./journey.ts";
import type { Product } from "./product.ts";

const PAGE_SCRIPT = fileURLToPath(new URL("wrong-values-page.mjs", import.meta.url));
const ARTICLES = "/synapse/articles";
const FILTERS = "/synapse/filtres";
const PURCHASES = "/synapse/achats";

/** A screen and the answer that it shows. */
interface Screen {
  readonly address: string;
  readonly call: string;
  readonly heading: string;
  /** The buttons that open it. */
  readonly press?: readonly string[];
  /** Answers of other calls without which the screen does not show this one. */
  readonly others?: Answers;
  /** Texts of other answers on the same screen. */
  readonly stays: readonly string[];
}

/** A list answer: one load shows many items, each with a different value changed. */
interface ListScreen extends Screen {
  readonly list: Path;
  /** The paths of an item's id and of the name that the screen shows. */
  readonly id: Path;
  readonly name: Path;
  readonly isNumbered?: boolean;
  /** Members without which an item is omitted. */
  readonly isNeeded?: (path: Path) => boolean;
}

/** Replaced by a new number in each load, so that texts of the previous load are not mistaken for its own. */
const MARK = "§";

const settingsWindow = {
  address: ARTICLES,
  heading: "Paramètres utilisateur",
  press: ["Paramètres utilisateur"],
  stays: [`Robe une ${MARK}`],
};

const prices = { address: "/synapse/prix?type=221", call: "/marche/prix", heading: "Prix du marché" };
const replay = {
  address: `${FILTERS}/rejeu?f=rejeu`,
  call: "/filtres/rejeu",
  others: {
    "/filtres/get": z.json().parse({
      success: true,
      filtres: [{ ...newFiltre, _id: "rejeu", tag: `Rejeu un ${MARK}`, autobuy: true }],
    }),
  },
  heading: "Sur 30 jours",
};
const alertCentre = { address: "/synapse/alertes", call: "/alertes", heading: "Alertes", stays: [] };

const lists: readonly ListScreen[] = [
  {
    address: ARTICLES,
    call: "/articles/recent",
    list: ["items"],
    id: ["id"],
    isNumbered: true,
    name: ["title"],
    heading: "Produits",
    stays: [`Filtre un ${MARK}`],
  },
  {
    address: ARTICLES,
    call: "/filtres/get",
    list: ["filtres"],
    id: ["_id"],
    name: ["tag"],
    heading: "Produits",
    stays: [`Robe une ${MARK}`],
  },
  {
    address: FILTERS,
    call: "/filtres/get",
    list: ["filtres"],
    id: ["_id"],
    name: ["tag"],
    heading: "Mes filtres",
    stays: [],
  },
  {
    address: `${FILTERS}?vue=publics`,
    call: "/filtres/publics",
    list: ["filtres"],
    id: ["_id"],
    name: ["tag"],
    isNeeded: () => true,
    heading: "Mes filtres",
    stays: [],
  },
  {
    address: PURCHASES,
    call: "/vinted/purchases",
    list: ["purch"],
    id: ["_id"],
    name: ["product", "title"],
    heading: "Mes achats",
    stays: [],
  },
  {
    address: ARTICLES,
    call: "/vinted/purchases",
    list: ["purch"],
    id: ["_id"],
    name: ["product", "title"],
    isNeeded: () => true,
    heading: "Produits",
    stays: [`Robe une ${MARK}`, `Filtre un ${MARK}`],
  },
  {
    address: PURCHASES,
    call: "/purchase/manques",
    list: ["manques"],
    id: ["date"],
    isNumbered: true,
    name: ["product", "title"],
    isNeeded: ([member]) => member !== "product",
    heading: "Achats manqués",
    press: ["Achats manqués"],
    stays: [`Jean un ${MARK}`],
  },
  {
    ...settingsWindow,
    call: "/auth/sessions",
    list: ["sessions"],
    id: ["id"],
    name: ["nom"],
    isNeeded: () => true,
  },
  {
    ...settingsWindow,
    call: "/vendeurs/bloques",
    list: ["vendeurs"],
    id: ["login"],
    name: ["login"],
    isNeeded: () => true,
  },
  {
    address: FILTERS,
    call: "/groupes/get",
    list: ["groupes"],
    id: ["_id"],
    name: ["nom"],
    isNeeded: () => true,
    heading: "Mes filtres",
    stays: [`Filtre un ${MARK}`],
  },
  {
    address: ARTICLES,
    call: "/articles/marche",
    others: { "/filtres/get": { success: true, filtres: [] } },
    list: ["items"],
    id: ["id"],
    isNumbered: true,
    name: ["title"],
    isNeeded: () => true,
    heading: "Produits",
    stays: [],
  },
  {
    ...prices,
    list: ["prix", "etats"],
    id: ["id"],
    isNumbered: true,
    name: ["nom"],
    isNeeded: () => true,
    stays: [`Type un ${MARK}`, `Taille une ${MARK}`],
  },
  {
    ...replay,
    list: ["rejeu", "exemples", "moins_chers"],
    id: ["id"],
    isNumbered: true,
    name: ["titre"],
    isNeeded: ([member]) => member !== "url",
    stays: [`Rejeu un ${MARK}`, `Motif un ${MARK}`],
  },
  {
    ...alertCentre,
    list: ["alertes", "canaux"],
    id: ["id"],
    name: ["nom"],
    isNeeded: () => true,
  },
];

const singles: readonly Screen[] = [
  {
    address: ARTICLES,
    call: "/vinted/get",
    heading: "Produits",
    stays: [`Robe une ${MARK}`, `Filtre un ${MARK}`],
  },
  { ...settingsWindow, call: "/vinted/get" },
  { ...settingsWindow, call: "/vinted/alertes" },
  {
    address: PURCHASES,
    call: "/purchase/bilan",
    heading: "Mes achats",
    stays: [`Jean un ${MARK}`],
  },
  {
    address: ARTICLES,
    call: "/vinted/etat",
    heading: "État du service",
    press: ["État du service et arrêt des achats"],
    stays: [`Robe une ${MARK}`],
  },
  { address: FILTERS, call: "/auth/user", heading: "Mes filtres", stays: [`Filtre un ${MARK}`] },
  {
    address: FILTERS,
    call: "/filtres/activite",
    heading: "Mes filtres",
    stays: [`Filtre un ${MARK}`],
  },
  { ...prices, stays: [] },
  { ...replay, stays: [`Rejeu un ${MARK}`] },
  alertCentre,
];

/** Readers of the screens that load their own. */
const OWN_READERS: Readonly<Record<string, (body: unknown) => unknown>> = {
  [prices.call]: readPrices,
  [replay.call]: readReplay,
  [alertCentre.call]: readCentre,
};

type Answers = Readonly<Record<string, Json>>;

let person: Person;
let answers: Answers;
/** The first event of the socket. */
let flux: Json;

test.describe.configure({ mode: "default" });
test.use({ marketName: "wrong values" });

test.beforeAll(async ({ product, browser }) => {
  // The reader logs each value that it cannot read.
  mock.method(console, "warn", () => undefined);
  person = await signInAt(product.url, "thunder-abime");
  await createSampleData(person, product);
  const paths = [...lists, ...singles].map(({ call }) => call);
  const read = await Promise.all(paths.map(async (path) => [path, (await person.raw("GET", path)).body]));
  answers = withSampleItems(z.record(z.string(), z.json()).parse(Object.fromEntries(read)));
  flux = await firstFlux(browser, product.url);
});

test.afterAll(() => mock.restoreAll());

for (const screen of lists) {
  test(`${screen.address} stays whatever one value of an item of ${screen.call} is`, async ({
    browser,
    product,
  }) => {
    expect(await failuresOf(browser, product.url, loadsOfList(screen))).toEqual([]);
  });
}

for (const screen of singles) {
  test(`${screen.address} stays whatever one value of ${screen.call} is (${screen.heading})`, async ({
    browser,
    product,
  }) => {
    expect(await failuresOf(browser, product.url, loadsOfSingle(screen))).toEqual([]);
  });
}

test("the stream stays whatever one value of an item of the socket is", async ({ browser, product }) => {
  const screen: ListScreen = {
    address: ARTICLES,
    call: "flux_handler",
    list: ["items"],
    id: ["id"],
    isNumbered: true,
    name: ["title"],
    heading: "Produits",
    stays: [`Filtre un ${MARK}`],
  };
  const loads = loadsOfItems(screen, flux).map((load): Load => ({
    ...load,
    answers: { "/articles/recent": { items: [] } },
    frame: `42${JSON.stringify(["flux_handler", load.answers[screen.call]])}`,
  }));
  expect(await failuresOf(browser, product.url, loads)).toEqual([]);
});

test("at least 3,000 values are changed, and no list is empty", () => {
  const items = lists.map((screen) => listIn(answers[screen.call] ?? null, screen)[0]);
  expect(items).not.toContain(undefined);
  const inLists = items.map((item) => pathsIn(item ?? null).length * wrongValues.size);
  const inSingles = singles.map((screen) => changesOfSingle(screen).length);
  const changedCount = [...inLists, ...inSingles].reduce((sum, count) => sum + count, 0);
  expect(changedCount).toBeGreaterThanOrEqual(3_000);
});

function loadsOfList(screen: ListScreen): readonly Load[] {
  const answer = answers[screen.call] ?? null;
  const wholeLists = distinct(changesOf([screen.list]), ({ path, wrong }) =>
    readingOf(screen.call, withWrongValue(answer, path, wrong)),
  );
  return [...wholeLists.map((change) => loadOf(screen, answer, change)), ...loadsOfItems(screen, answer)];
}

function loadsOfSingle(screen: Screen): readonly Load[] {
  const answer = answers[screen.call] ?? null;
  return distinct(changesOfSingle(screen), ({ path, wrong }) =>
    readingOf(screen.call, withWrongValue(answer, path, wrong)),
  ).map((change) => loadOf(screen, answer, change));
}

function changesOfSingle({ call }: Screen): readonly Change[] {
  return changesOf(pathsIn(answers[call] ?? null).filter((path) => !opensNoPanel(path)));
}

function loadOf(screen: Screen, answer: Json, { path, wrong }: Change): Load {
  const changed = withWrongValue(answer, path, wrong);
  return { name: nameOf({ path, wrong }), screen, answers: { [screen.call]: changed }, stays: screen.stays };
}

/** A value and the name of what replaces it. */
interface Change {
  readonly path: Path;
  readonly wrong: string;
}

function changesOf(paths: readonly Path[]): readonly Change[] {
  return paths.flatMap((path) => [...wrongValues.keys()].map((wrong) => ({ path, wrong })));
}

function nameOf({ path, wrong }: Change): string {
  return `${path.join(".")}: ${wrong}`;
}

function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}

function nameOfCall(call: string): CallName {
  const isName = (name: string): name is CallName => name in routes;
  const name = Object.keys(routes)
    .filter(isName)
    .find((one) => routes[one].method === "GET" && routes[one].path === call);
  if (name === undefined) throw new Error(`no call reads ${call}`);
  return name;
}

/** What the page makes of an answer, as text. */
function readingOf(call: string, body: Json): string {
  const lists = typeof body === "object" && body !== null ? Object.values(body).filter(isList) : [];
  // `success` and `error` mark a refusal; the page counts the items of a list that it leaves out.
  const besides = [childOf(body, "success"), childOf(body, "error"), lists.map(({ length }) => length)];
  return JSON.stringify([...besides, readOrRefused(call, body)], (_key, value: unknown) =>
    value === undefined ? "absent" : value,
  );
}

function readOrRefused(call: string, body: Json): unknown {
  if (call === "flux_handler") return readFlux(body);
  const read = OWN_READERS[call];
  try {
    if (read !== undefined) return read(body);
    return readAnswer(nameOfCall(call), body);
  } catch (error) {
    if (error instanceof UnreadableAnswer) return "unreadable";
    throw error;
  }
}

/** Without a level the panel stays black, which another journey covers. */
function opensNoPanel([first, second]: Path): boolean {
  return first === "user" && (second === undefined || second === "level");
}

interface Load {
  readonly name: string;
  readonly screen: Screen;
  readonly answers: Answers;
  readonly stays: readonly string[];
  readonly frame?: string;
}

const MAX_ITEMS = 40;

/** The loads that show each item with one value changed; an unchanged one follows in each. */
function loadsOfItems(screen: ListScreen, answer: Json): readonly Load[] {
  const [item = null] = listIn(answer, screen);
  const changes = distinct(changesOf(pathsIn(item)), ({ path, wrong }) => {
    const list = [withWrongValue(item, path, wrong)];
    // One that may be left out says nothing about one that must be shown.
    return `${mustBeShown(screen, path)} ${readingOf(screen.call, withValue(answer, screen.list, list))}`;
  });
  const loadCount = Math.ceil(changes.length / MAX_ITEMS);
  return Array.from({ length: loadCount }, (_, part) =>
    loadOfItems(screen, answer, changes.slice(part * MAX_ITEMS, (part + 1) * MAX_ITEMS)),
  );
}

function loadOfItems(screen: ListScreen, answer: Json, changes: readonly Change[]): Load {
  const [item = null] = listIn(answer, screen);
  const identified = (index: number): Json => {
    const id = screen.isNumbered === true ? 1_000_000 + index : `id-${index}`;
    return withValue(withValue(item, screen.id, id), screen.name, nameAt(index));
  };
  const items = changes.map(({ path, wrong }, index) => withWrongValue(identified(index), path, wrong));
  const shown = changes.flatMap(({ path }, index) => (mustBeShown(screen, path) ? [nameAt(index)] : []));
  const areShown = screen.call !== "/vinted/purchases" || screen.address === PURCHASES;
  return {
    name: changes.map((change, index) => `${index} = ${nameOf(change)}`).join(", "),
    screen,
    answers: { [screen.call]: withValue(answer, screen.list, [...items, identified(changes.length)]) },
    stays: [...screen.stays, ...shown, ...(areShown ? [nameAt(changes.length)] : [])],
  };
}

function mustBeShown({ isNeeded, id, name }: ListScreen, path: Path): boolean {
  return isNeeded?.(path) !== true && !leadsTo(path, id) && !leadsTo(path, name);
}

function nameAt(index: number): string {
  return `Nom ${index} ${MARK}`;
}

function leadsTo(path: Path, target: Path): boolean {
  return path.every((key, index) => target[index] === key);
}

function listIn(answer: Json, { list }: ListScreen): readonly Json[] {
  return listOf(list.reduce(childOf, answer));
}

function listOf(value: Json): readonly Json[] {
  return isList(value) ? value : [];
}

const PAGES_AT_ONCE = 2;
const MAX_FAILURES = 12;
const LIMIT_MS = 60_000;

/** Renders the page with the answers of each load. @returns the failures by the name of the load */
async function failuresOf(browser: Browser, url: string, loads: readonly Load[]): Promise<readonly string[]> {
  test.setTimeout(900_000);
  // High enough that every row of a list is rendered, but no higher, because each load repaints everything.
  const isList = loads.some(({ screen }) => "list" in screen);
  const context = await contextOf(browser, isList ? 9_000 : 900);
  try {
    const failures: string[] = [];
    const waiting = loads.values();
    const work = async (): Promise<void> => {
      const page = await context.newPage();
      let address = "";
      for (const load of waiting) {
        if (load.screen.address !== address) {
          address = load.screen.address;
          await page.goto(`${url}${address}`);
          await page.getByRole("heading").first().waitFor();
        }
        const failure = await failureOf(page, load);
        if (failure === "") continue;
        failures.push(`${load.name}: ${failure}`);
        if (failures.length >= MAX_FAILURES) return;
        // The next load starts on a new page.
        address = "";
      }
    };
    await Promise.all(Array.from({ length: PAGES_AT_ONCE }, work));
    return failures;
  } finally {
    await context.close();
  }
}

/** Replaces the event of the real socket, which would bring the real listings. */
const NO_NEWS = '42["flux_handler",{"items":[],"curseur":"1"}]';
let shownCount = 0;

async function failureOf(page: Page, { screen, stays, frame, ...load }: Load): Promise<string> {
  shownCount += 1;
  const question = {
    call: screen.call,
    heading: screen.heading,
    first: screen.stays,
    press: screen.press ?? [],
    stays,
    answers: { ...answers, ...screen.others, ...load.answers },
    frame: frame ?? NO_NEWS,
    limitMs: LIMIT_MS,
  };
  const text = JSON.stringify(question).replaceAll(MARK, String(shownCount));
  return String(await page.evaluate(`troubleWith(${text})`));
}

async function contextOf(browser: Browser, height = 900): Promise<BrowserContext> {
  const viewport = { width: 1_280, height };
  const context = await browser.newContext({ ...FRENCH, viewport, reducedMotion: "reduce" });
  await takeSession(context, person);
  await context.addInitScript({ path: PAGE_SCRIPT });
  return context;
}

async function firstFlux(browser: Browser, url: string): Promise<Json> {
  const context = await contextOf(browser);
  try {
    const page = await context.newPage();
    const frame = new Promise<string>((resolve) => {
      page.on("websocket", (socket) => {
        socket.on("framereceived", ({ payload }) => {
          const text = String(payload);
          if (text.startsWith('42["flux_handler"') && text.includes('"title"')) resolve(text);
        });
      });
    });
    await page.goto(`${url}${ARTICLES}`);
    const event = z.tuple([z.string(), z.json()]).parse(JSON.parse((await frame).slice(2)));
    return event[1];
  } finally {
    await context.close();
  }
}

/** Creates filters, articles and purchases of every kind through the product's API. */
async function createSampleData(buyer: Person, { sandbox }: Product): Promise<void> {
  const types = { ids: [221, 1_065] };
  const criteria = { types, brands: { ids: [53] }, sizes: { ids: [] }, status: { ids: [2] } };
  const words = { mots: ["robe"], exclure: ["usé"], info: "pour l'été", color: "Red", max_achats: 3 };
  await buyer.call("addFilter", { tag: `Filtre un ${MARK}`, limit: 500, ...criteria, ...words });
  await buyer.call("addFilter", { tag: "Tout le reste", limit: 500 });
  await sandbox.publish({
    title: `Robe une ${MARK}`,
    price: 10,
    brand_title: "Nike",
    color: "Red",
    seller: "lea",
  });
  const listings = [`Jean un ${MARK}`, "Jean deux"].map((title) => ({
    title,
    price: 12,
    secure: title === "Jean deux",
  }));
  const published = await sandbox.publish(listings);
  await expect
    .poll(async () => (await buyer.raw("GET", "/articles/recent")).body, { timeout: 60_000 })
    .toMatchObject({ items: [{}, {}, {}] });
  for (const { id } of published) await buyer.call("clickPurchase", { id });
}

/** Fills answers that are empty in a new market with items in the contract's shape. */
function withSampleItems(read: Answers): Answers {
  const [purchase = null] = listOf(childOf(read["/vinted/purchases"] ?? null, "purch"));
  const [filter = null] = listOf(childOf(read["/filtres/get"] ?? null, "filtres"));
  const missed = {
    etapes: [{ nom: "Vu", a: 1_790_000_000_000 }],
    raison: "Vendu",
    conseil: null,
    date: 1_790_000_000_000,
    product: childOf(purchase, "product"),
    filtre: null,
  };
  return {
    ...read,
    "/auth/user": withValue(read["/auth/user"] ?? null, ["user", "email"], `${MARK}@example.com`),
    "/purchase/manques": { manques: [missed] },
    "/vendeurs/bloques": {
      success: true,
      vendeurs: [{ id: 1, login: "lea", depuis: 1_790_000_000_000 }],
    },
    "/groupes/get": {
      success: true,
      groupes: [
        {
          _id: "g",
          nom: "Groupe",
          achats: 2,
          budget: 60,
          filtres: ["a"],
          pris: { achats: 1, montant: { amount: "12.50", currency_code: "EUR" } },
          etat: "ouvert",
        },
      ],
    },
    "/articles/marche": {
      filtres: [withValue(withValue(filter, ["copie_de"], null), ["articles"], 3)],
      items: [withValue(childOf(purchase, "product"), ["vu_a"], 1_790_000_000_000)],
    },
    ...sampleMarket(),
    "/alertes": withValue(
      read["/alertes"] ?? null,
      ["alertes", "canaux"],
      [
        {
          id: "canal",
          canal: "courriel",
          nom: "lea@example.com",
          etat: "actif",
          evenements: { articles: true, achats: true, compte: true, resume: true },
          ici: false,
        },
      ],
    ),
    "/filtres/publics": { success: true, filtres: [withValue(filter, ["copies"], 2)] },
  };
}

/** What the market's memory answers: prices and a backtest. */
function sampleMarket(): Answers {
  const price = (amount: string): Json => ({ amount, currency_code: "EUR" });
  const quartiles = { annonces: 60, bas: price("20.00"), median: price("25.00"), haut: price("30.00") };
  const couverture = { depuis: 1_790_000_000_000, jours: 1, exemple: false, exemple_jusqu_au: null };
  const example = {
    id: 1,
    titre: `exemple un ${MARK}`,
    marque: "Zara",
    taille: "M",
    etat: "Bon état",
    total_item_price: price("18.00"),
    prix: {
      bas: price("20.00"),
      median: price("25.00"),
      haut: price("30.00"),
      rang: 10,
      n: 60,
      jours: 20,
      base: "type_marque",
      suspect: false,
    },
    vu_a: 1_790_000_000_000,
    achat: true,
    url: "https://market.example/items/1",
  };
  return {
    "/marche/prix": {
      prix: {
        ...quartiles,
        type: { id: 221, nom: `Type un ${MARK}` },
        marque: null,
        etats: [{ ...quartiles, id: 2, nom: "Très bon état" }],
        tailles: [{ ...quartiles, id: 3, nom: `Taille une ${MARK}` }],
        marques: [{ ...quartiles, id: 12, nom: "Zara" }],
        jours: [{ jour: "2026-11-03", annonces: 3, median: price("25.00") }],
        couverture,
      },
    },
    "/filtres/rejeu": {
      rejeu: {
        periode: { du: "2026-11-03", au: "2026-11-03", jours: 1 },
        couverture,
        examines: 60,
        articles: 3,
        republications: 1,
        incertains: 1,
        achats: {
          nombre: 1,
          montant: price("18.00"),
          economie: price("7.00"),
          compares: 1,
          fourchette: { min: 0, max: 1 },
          tentatives: 8,
        },
        pertes: [{ code: "limite_jour", cause: `Motif un ${MARK}`, nombre: 2 }],
        jours: [{ jour: "2026-11-03", articles: 3, achats: 1 }],
        exemples: { moins_chers: [example], plus_chers: [example] },
        conditions: [{ champ: "brands", articles: 4 }],
        limite: { moins_chere: price("18.00"), paliers: [{ limit: 110, articles: 2 }] },
        ids: [1],
        achetes: [1],
        tronque: false,
        duree_ms: 5,
      },
    },
  };
}
