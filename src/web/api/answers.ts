/**
 * Parses the server's responses with the contract's schemas. A list is parsed item by item: an invalid item
 * is left out and counted. An invalid field that the screens can do without gets a fallback, which never
 * allows a payment: a listing without a valid price cannot be bought.
 */
import { catch as orElse } from "zod/mini";
import * as z from "zod/mini";
import type { $ZodError, $ZodType, SomeType } from "zod/v4/core";
import { firstRoutes } from "#contract/first-routes.ts";
import type { CallName } from "#contract/calls.ts";
import { errorAnswer, money } from "#contract/envelope.ts";
import {
  produit,
  produitDuFlux,
  produitVu,
  republication,
  vendeur,
  vendeurDuProduit,
} from "#contract/produit.ts";
import { utilisateur, type Utilisateur } from "#contract/compte.ts";
import { logFailure } from "./log.ts";

/** A response that violates the contract so that nothing of it can be shown. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

export const UNKNOWN_PRICE = { amount: "", currency_code: "EUR" };

/** Makes a field optional for the page: an invalid value is logged and replaced by `fallback`. */
export function or<Schema extends SomeType>(schema: Schema, fallback: z.output<Schema>) {
  return orElse(schema, ({ issues: [issue] }) => {
    logFailure("unreadable value", { code: issue?.code ?? "" });
    return fallback;
  });
}

/** Only http(s) links are allowed: another scheme could run a script or open a program. */
const isWebAddress = (address: string): boolean => /^https?:\/\//iu.test(address);
export const onlyWebAddress = z.refine<string | null>((address) => address === null || isWebAddress(address));
const onlyWebPhoto = z.refine<{ url: string } | null>((photo) => photo === null || isWebAddress(photo.url));

const photo = or(produit.shape.photo.check(onlyWebPhoto), null);
const price = or(money, UNKNOWN_PRICE);
const text = (fallback: string) => or(z.string(), fallback);

/** Facts of a seller that may arrive later; each is dropped on its own if invalid. */
export const sellerFacts = {
  note: or(vendeurDuProduit.shape.note, undefined),
  avis: or(vendeurDuProduit.shape.avis, undefined),
  pays: or(vendeurDuProduit.shape.pays, undefined),
};

const seller = z.extend(vendeurDuProduit, {
  id: or(vendeur.shape.id, null),
  login: text("Vendeur inconnu"),
  photo: or(vendeur.shape.photo.check(onlyWebPhoto), null),
  ...sellerFacts,
});
export const relist = or(z.optional(republication), undefined);
export const unknownSeller: z.infer<typeof vendeur> = {
  id: null,
  login: "Vendeur inconnu",
  photo: null,
};

export const productMembers = {
  title: text("Article sans titre"),
  photo,
  brand_title: text(""),
  total_item_price: price,
  size_title: text(""),
  // Not logged: without a condition the server sends "" or null, both shown as 'N/A'.
  status: orElse(z.string(), ""),
  path: text(""),
  url: or(produit.shape.url.check(onlyWebAddress), ""),
  user: or(seller, unknownSeller),
  republication: relist,
};
export const seenListing = z.extend(produitVu, {
  ...productMembers,
  vu_a: or(produitVu.shape.vu_a, 0),
  paru_a: or(produitVu.shape.paru_a, undefined),
});
export const listing = z.extend(seenListing, {
  filtres: or(produitDuFlux.shape.filtres, []),
  vendu: or(produitDuFlux.shape.vendu, undefined),
  prix: or(produitDuFlux.shape.prix, null),
});
const person = z.extend(utilisateur, {
  picture: or(utilisateur.shape.picture, null),
  name: text("votre compte"),
  email: text(""),
  plan: or(z.nullable(utilisateur.shape.plan), null),
  fin: or(utilisateur.shape.fin, null),
  waitlist: or(utilisateur.shape.waitlist, undefined),
});

/** Null without a session, or if the level is invalid: the panel then stays closed. */
function readUser(value: unknown): Utilisateur | null {
  if (value === null) return null;
  const read = z.safeParse(person, value);
  if (!read.success) {
    logFailure("unreadable user", whereIn(read.error));
    return null;
  }
  const { level } = read.data;
  // A newer server may send a plan that this page does not know: the level decides instead.
  const planOfLevel = level >= 2 ? "thunder" : level === 1 ? "acquire" : "none";
  return { ...read.data, plan: read.data.plan ?? planOfLevel };
}

/** The lists whose invalid items are left out one by one. */
export type ListName =
  | "filters"
  | "purchases"
  | "articles"
  | "activity"
  | "market"
  | "readyFilters"
  | "missed"
  | "sessions"
  | "alerts"
  | "sellers"
  | "groups"
  | "publicFilters"
  | "popularPairs"
  | "channels"
  | "losses"
  | "weeks"
  | "conditionPrices"
  | "sizePrices"
  | "brandPrices"
  | "priceDays"
  | "replayLosses"
  | "replayDays"
  | "replayConditions"
  | "replayLimits"
  | "cheapest"
  | "dearest"
  /** Socket payloads, each parsed as a list of one. */
  | "events";

const leftOutCounts = new Map<ListName, number>();
const leftOutListeners = new Set<() => void>();

/** How many items of each list were invalid when it was last parsed. */
export const leftOut = {
  of: (list: ListName): number => leftOutCounts.get(list) ?? 0,
  subscribe: (listener: () => void): (() => void) => {
    leftOutListeners.add(listener);
    return () => leftOutListeners.delete(listener);
  },
};

export function readList<Item>(name: ListName, value: unknown, read: (item: unknown) => Item): Item[] {
  if (!Array.isArray(value)) throw new UnreadableAnswer(`${name}: no list`);
  const items: Item[] = [];
  for (const each of value) {
    try {
      items.push(read(each));
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      logFailure(`unreadable item of ${name}`, { where: error.message });
    }
  }
  const count = value.length - items.length;
  if (leftOut.of(name) !== count) {
    leftOutCounts.set(name, count);
    for (const listener of leftOutListeners) listener();
  }
  return items;
}

export const as =
  <Schema extends $ZodType>(schema: Schema) =>
  (value: unknown): z.output<Schema> =>
    readAs(schema, value);

export function readAs<Schema extends $ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = z.safeParse(schema, value);
  if (read.success) return read.data;
  const { path, code } = whereIn(read.error);
  throw new UnreadableAnswer(`${path}: ${code}`);
}

export function whereIn(error: $ZodError): { readonly path: string; readonly code: string } {
  const [issue] = error.issues;
  return { path: issue?.path.join(".") ?? "", code: issue?.code ?? "" };
}

/** The message has a fallback, so that a command that succeeded is not reported as failed for its text. */
export const done = { message: text("C'est fait.") };
export const message = z.object(done);

export type Body = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown): Body {
  if (typeof value !== "object" || value === null) throw new UnreadableAnswer("no object");
  return { ...value };
}

const { code, champ, prix, achat } = errorAnswer.shape;
const refusal = z.object({
  error: text(""),
  code: or(code, undefined),
  champ: or(champ, undefined),
  prix: or(prix, undefined),
  achat: or(achat, undefined),
});

/** Why a call was refused; the text is "" if the response is not the server's but, say, a proxy's. */
export function readRefusal(body: unknown): z.infer<typeof refusal> {
  const read = z.safeParse(refusal, body);
  return read.success ? read.data : { error: "" };
}

/** Parses the response of a call; throws an UnreadableAnswer. */
export type Reader = (body: Body) => object;

/** For every page. The panel adds the rest (panel-answers.ts), whose schemas the public pages do not load. */
export const firstReaders = {
  user: ({ user }) => ({ user: readUser(user) }),
  signOut: (body) => readAs(message, body),
  recentArticles: ({ items }) => ({ items: readList("articles", items, as(listing)) }),
} satisfies Partial<Record<CallName, Reader>>;

const readers = new Map<string, Reader>(Object.entries(firstReaders));

export function addReaders(more: Readonly<Record<string, Reader>>): void {
  for (const [name, read] of Object.entries(more)) readers.set(name, read);
}

interface Route {
  readonly method: string;
  readonly path: string;
}

const routes = new Map<string, Route>(Object.entries(firstRoutes));

export function addRoutes(more: Readonly<Record<string, Route>>): void {
  for (const [name, route] of Object.entries(more)) routes.set(name, route);
}

export function routeOf(name: CallName): Route {
  const route = routes.get(name);
  if (route === undefined) throw new Error(`${name} has no address on this page`);
  return route;
}

/** Parses the response of a call; throws an UnreadableAnswer. */
export function readAnswer(name: CallName, body: unknown): object {
  const read = readers.get(name);
  if (read === undefined) throw new Error(`nothing reads the answer of ${name}`);
  return read(membersOf(body));
}
