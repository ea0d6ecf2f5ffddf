/**
 * What the server sends is read here with the contract's schemas, and nowhere else. A list is read item by item: one
 * that cannot be read is left out and counted. A member that the screens can do without falls back on its own; what
 * money depends on never does.
 */
import * as z from "zod/mini";
import { catch as orElse } from "zod/mini";
import { $ZodError, type $ZodType, type SomeType } from "zod/v4/core";
import { achat } from "#contract/achat.ts";
import { alertes } from "#contract/alertes.ts";
import type { CallName } from "#contract/calls.ts";
import { appareil, sante } from "#contract/compte.ts";
import { money, unixMs } from "#contract/envelope.ts";
import { apercu, filtre, filtreActivite, filtrePret, filtrePublic, selection } from "#contract/filtre.ts";
import { parametres, type Parametres } from "#contract/parametres.ts";
import { produit, produitDuFlux, produitVu, vendeur } from "#contract/produit.ts";
import { bilan, manque, recit } from "#contract/recit.ts";
import { utilisateur, type Utilisateur } from "#contract/utilisateur.ts";
import { logFailure } from "./log.ts";

/** An answer that is not what the contract says, and of which nothing can be shown. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

const UNKNOWN_PRICE = { amount: "", currency_code: "EUR" };
const noSelection = { ids: [], names: [] };

/** Only an address of the web may become a link. */
const link = z.string().check(z.regex(/^https?:\/\//u));
/** A member that the page can do without: what takes the place of a value that is not as agreed. */
function or<Schema extends SomeType>(schema: Schema, fallback: z.output<Schema>) {
  return orElse(schema, ({ issues: [issue] }) => {
    logFailure("unreadable value", { code: issue?.code ?? "" });
    return fallback;
  });
}

const photo = or(produit.shape.photo, null);
const price = or(money, UNKNOWN_PRICE);
const text = (fallback: string) => or(z.string(), fallback);

const seller = z.extend(vendeur, {
  login: text("Vendeur inconnu"),
  photo: or(vendeur.shape.photo, null),
});
const unknownSeller: z.infer<typeof vendeur> = { login: "Vendeur inconnu", photo: null };

const productMembers = {
  title: text("Article sans titre"),
  photo,
  brand_title: text(""),
  total_item_price: price,
  size_title: text(""),
  // A listing without a condition reads 'N/A', whether the server says "" or null.
  status: orElse(z.string(), ""),
  path: text(""),
  url: or(link, ""),
  user: or(seller, unknownSeller),
};
const seenListing = z.extend(produitVu, { ...productMembers, vu_a: or(produitVu.shape.vu_a, 0) });
const listing = z.extend(seenListing, { filtres: or(produitDuFlux.shape.filtres, []) });
/** Of a purchase even the listing's id may be missing: what was paid must be seen all the same. */
const boughtProduct = z.extend(produit, { ...productMembers, id: or(produit.shape.id, 0) });
const unknownProduct: z.infer<typeof produit> = {
  id: 0,
  title: "Article inconnu",
  photo: null,
  brand_title: "",
  total_item_price: UNKNOWN_PRICE,
  size_title: "",
  status: "",
  path: "",
  url: "",
  user: unknownSeller,
};

const UNKNOWN_STATUS = 3;
const purchase = z.extend(achat, {
  id_transaction: or(achat.shape.id_transaction, null),
  status: or(achat.shape.status, UNKNOWN_STATUS),
  purchase_date: or(achat.shape.purchase_date, 0),
  purchase_confirmation: or(z.nullable(link), null),
  product: or(boughtProduct, unknownProduct),
  annulation: or(achat.shape.annulation, undefined),
  simulation: or(achat.shape.simulation, undefined),
  source: or(achat.shape.source, undefined),
  filtre: or(achat.shape.filtre, null),
  total: or(achat.shape.total, null),
  raison: or(achat.shape.raison, null),
  code: or(achat.shape.code, undefined),
  offre: or(achat.shape.offre, undefined),
  a_payer: or(achat.shape.a_payer, undefined),
  echeance: or(achat.shape.echeance, undefined),
});

/** The names say in words what the ids say: without them the ids still count. */
const namedSelection = z.extend(selection, { names: or(selection.shape.names, []) });
const criteria = {
  types: namedSelection,
  brands: namedSelection,
  sizes: namedSelection,
  status: namedSelection,
};
const wholeFilter = z.extend(filtre, criteria);
const partOfFilter = z.extend(filtre, {
  tag: text("Filtre sans nom"),
  active: or(filtre.shape.active, true),
  autobuy: or(filtre.shape.autobuy, false),
  private: or(filtre.shape.private, true),
  types: or(namedSelection, noSelection),
  brands: or(namedSelection, noSelection),
  sizes: or(namedSelection, noSelection),
  status: or(namedSelection, noSelection),
  color: text(""),
  limit: or(filtre.shape.limit, 0),
  paiement: or(filtre.shape.paiement, 0),
  info: text(""),
  mots: or(filtre.shape.mots, []),
  exclure: or(filtre.shape.exclure, []),
  max_achats: or(filtre.shape.max_achats, null),
  simulation: or(filtre.shape.simulation, false),
});

/** A filter as it could be read. It is always sent back whole, so one that was read in part must not be sent back. */
export type ReadFilter = z.infer<typeof filtre> & { readonly isPartial?: true };

/** The settings as they could be read. */
export type ReadSettings = Omit<Parametres, "limites" | "mandat"> & {
  readonly limites: Parametres["limites"] | null;
  readonly mandat: Parametres["mandat"] | null;
  /** Something of the account could not be read: the form, which sends it back, must not open. */
  readonly isPartial?: true;
};

const { token, paiement, adresse, relais, etat, limites, mandat } = parametres.shape;
const account = z.object({ token, paiement, adresse, relais });
const partOfSettings = z.object({
  token: or(token, ""),
  paiement: or(paiement, 1),
  adresse: or(adresse, { rue: "", ville: "", code_postal: 0, pays: "France" }),
  relais: or(relais, []),
  etat: or(etat, "connecte"),
  limites: or(z.nullable(limites), null),
  mandat: or(z.nullable(mandat), null),
});

const person = z.extend(utilisateur, {
  picture: or(utilisateur.shape.picture, null),
  name: text("votre compte"),
  email: text(""),
  plan: or(z.nullable(utilisateur.shape.plan), null),
  fin: or(utilisateur.shape.fin, null),
  waitlist: or(utilisateur.shape.waitlist, undefined),
});

/** Null for whoever has no session, and for whom no level can be read: the panel then stays closed. */
function readUser(value: unknown): Utilisateur | null {
  if (value === null) return null;
  const read = z.safeParse(person, value);
  if (!read.success) {
    logFailure("unreadable user", whereIn(read.error));
    return null;
  }
  const { level } = read.data;
  // A plan of a name that this page does not know has what its level has.
  const planOfLevel = level >= 2 ? "thunder" : level === 1 ? "acquire" : "none";
  return { ...read.data, plan: read.data.plan ?? planOfLevel };
}

function readFilter(value: unknown): ReadFilter {
  const whole = z.safeParse(wholeFilter, value);
  if (whole.success) return whole.data;
  logFailure("filter read in part", whereIn(whole.error));
  return { ...z.parse(partOfFilter, value), isPartial: true };
}

function readSettings(value: unknown): ReadSettings {
  const settings = readAs(partOfSettings, value);
  const whole = z.safeParse(account, value);
  if (whole.success) return settings;
  logFailure("settings read in part", whereIn(whole.error));
  return { ...settings, isPartial: true };
}

/** The lists of which single items may be left out. */
export type ListName =
  | "filters"
  | "purchases"
  | "articles"
  | "activity"
  | "market"
  | "readyFilters"
  | "missed"
  | "sessions"
  | "publicFilters";

const leftOutCounts = new Map<ListName, number>();
const leftOutListeners = new Set<() => void>();

/** How many items of each list could not be read the last time. */
export const leftOut = {
  of: (list: ListName): number => leftOutCounts.get(list) ?? 0,
  subscribe: (listener: () => void): (() => void) => {
    leftOutListeners.add(listener);
    return () => leftOutListeners.delete(listener);
  },
};

function readList<Item>(name: ListName, value: unknown, read: (item: unknown) => Item): Item[] {
  if (!Array.isArray(value)) throw new UnreadableAnswer(`${name}: no list`);
  const items: Item[] = [];
  for (const each of value) {
    try {
      items.push(read(each));
    } catch (error) {
      if (!(error instanceof $ZodError)) throw error;
      logFailure(`unreadable item of ${name}`, whereIn(error));
    }
  }
  const count = value.length - items.length;
  if (leftOut.of(name) !== count) {
    leftOutCounts.set(name, count);
    for (const listener of leftOutListeners) listener();
  }
  return items;
}

const as =
  <Schema extends $ZodType>(schema: Schema) =>
  (value: unknown): z.output<Schema> =>
    z.parse(schema, value);

function readAs<Schema extends $ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = z.safeParse(schema, value);
  if (read.success) return read.data;
  const { path, code } = whereIn(read.error);
  throw new UnreadableAnswer(`${path}: ${code}`);
}

function whereIn(error: $ZodError): { readonly path: string; readonly code: string } {
  const [issue] = error.issues;
  return { path: issue?.path.join(".") ?? "", code: issue?.code ?? "" };
}

/** A command that was obeyed is not reported as failed because of the words that came with it. */
const done = { message: text("C'est fait.") };
const message = z.object(done);

type Body = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Body {
  if (typeof value !== "object" || value === null) throw new UnreadableAnswer("no object");
  return { ...value };
}

/** How the answer of each call is read; throws an UnreadableAnswer. */
const readers = {
  user: ({ user }) => ({ user: readUser(user) }),
  signOut: (body) => readAs(message, body),
  keepAlive: () => ({}),
  sessions: ({ sessions }) => ({ sessions: readList("sessions", sessions, as(appareil)) }),
  endSessions: (body) => readAs(message, body),
  deleteAccount: (body) => readAs(message, body),
  state: (body) => readAs(z.object({ etat: sante }), body),
  filters: ({ filtres }) => ({ filtres: readList("filters", filtres, readFilter) }),
  filterActivity: ({ activites, partiel }) => ({
    activites: readList("activity", activites, as(filtreActivite)),
    partiel: partiel === true,
  }),
  addFilter: (body) => ({ ...readAs(message, body), filtre: readOne(body["filtre"], readFilter) }),
  editFilter: (body) => ({ ...readAs(message, body), filtre: readOne(body["filtre"], readFilter) }),
  deleteFilters: (body) => readAs(message, body),
  publicFilters: ({ filtres }) => ({
    filtres: readList("publicFilters", filtres, as(z.extend(filtrePublic, criteria))),
  }),
  market: ({ items, filtres }) => ({
    items: readList("market", items, as(seenListing)),
    filtres: readList("readyFilters", filtres, as(z.extend(filtrePret, criteria))),
  }),
  previewFilter: (body) => readAs(z.object({ apercu }), body),
  copyFilter: (body) => ({ ...readAs(message, body), filtre: readOne(body["filtre"], readFilter) }),
  settings: ({ vinted }) => ({ vinted: readSettings(vinted) }),
  token: (body) => readAs(z.object({ token: z.string() }), body),
  editSettings: (body) => readAs(message, body),
  alerts: (body) => readAs(z.object({ alertes }), body),
  editAlerts: (body) => readAs(message, body),
  testAlert: (body) => readAs(message, body),
  purchases: ({ purch }) => ({
    purch: readList("purchases", purch, as(purchase)),
    /** How many were sent: a page of purchases is full even where one of them could not be read. */
    count: Array.isArray(purch) ? purch.length : 0,
  }),
  cancelPurchase: ({ purch }) => ({ purch: readList("purchases", purch, as(purchase)) }),
  clickPurchase: (body) => readAs(z.object({ ...done, purchase }), body),
  hidePurchases: (body) => readAs(message, body),
  purchaseStory: (body) => readAs(z.object({ recit }), body),
  missedPurchases: ({ manques }) => ({
    manques: readList(
      "missed",
      manques,
      as(z.extend(manque, { product: or(boughtProduct, unknownProduct) })),
    ),
  }),
  purchaseSummary: (body) => readAs(z.object({ bilan }), body),
  recentArticles: ({ items }) => ({ items: readList("articles", items, as(listing)) }),
} satisfies Record<CallName, (body: Body) => object>;

function readOne<Item>(value: unknown, read: (item: unknown) => Item): Item {
  try {
    return read(value);
  } catch (error) {
    if (error instanceof $ZodError) throw new UnreadableAnswer(whereIn(error).path);
    throw error;
  }
}

export type ReadAnswer<Name extends CallName> = ReturnType<(typeof readers)[Name]>;

/** The answer of a call as the page may use it; throws an UnreadableAnswer where nothing of it can be. */
export function readAnswer<Name extends CallName>(name: Name, body: unknown): ReadAnswer<Name> {
  const answer = membersOf(body);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler does not pair a name with its reader
  return readers[name](answer) as ReadAnswer<Name>;
}

const flux = z.object({
  curseur: or(z.optional(z.string()), undefined),
  pause: or(z.optional(z.string()), undefined),
  reprise: or(z.optional(unixMs), undefined),
});

/** What the stream sends; a listing that cannot be read is left out. */
export function readFlux(payload: unknown) {
  const { items } = membersOf(payload);
  return { ...readAs(flux, payload), items: readList("articles", items, as(listing)) };
}

const priceNews = z.object({ id: produit.shape.id, total_item_price: money });

/** News of a price that rose. */
export function readPrice(payload: unknown): z.infer<typeof priceNews> {
  return readAs(priceNews, payload);
}

const purchaseNews = z.object({
  success: or(z.boolean(), false),
  message: or(z.optional(z.string()), undefined),
  error: or(z.optional(z.string()), undefined),
  purchase: or(z.optional(purchase), undefined),
});

/** News of a purchase. */
export function readPurchaseNews(payload: unknown): z.infer<typeof purchaseNews> {
  return readAs(purchaseNews, payload);
}
