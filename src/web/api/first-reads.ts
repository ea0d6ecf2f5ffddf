/**
 * The two requests that the panel's first screen waits for. Separate from the others, so that they can start
 * before the panel's chunk is loaded; the first query of each consumes the early request.
 */
import type { ProduitDuFlux } from "#contract/produit.ts";
import type { Utilisateur } from "#contract/compte.ts";
import { call } from "./client.ts";

const RECENT_ARTICLES = 60;

interface Reading {
  readonly signal?: AbortSignal;
}

type User = Utilisateur | null;
type Articles = readonly ProduitDuFlux[];

let earlyUser: Promise<User> | null = null;
let earlyArticles: Promise<Articles | null> | null = null;

/** Starts both requests. @returns the articles, or null for a person without access to the panel */
export function readEarly(): Promise<Articles | null> {
  earlyUser = askForUser({});
  earlyArticles = earlyUser.then((user) => (user !== null && user.level > 0 ? askForArticles({}) : null));
  return earlyArticles;
}

/** Null without a session. */
export async function readUser(reading: Reading): Promise<User> {
  const asked = earlyUser;
  earlyUser = null;
  return await (asked ?? askForUser(reading));
}

/** Newest first. */
export async function readRecentArticles(reading: Reading): Promise<Articles> {
  const asked = earlyArticles;
  earlyArticles = null;
  return (await asked) ?? (await askForArticles(reading));
}

async function askForUser(reading: Reading): Promise<User> {
  return (await call("user", reading)).user;
}

async function askForArticles(reading: Reading): Promise<Articles> {
  return (await call("recentArticles", { ...reading, query: { limit: String(RECENT_ARTICLES) } })).items;
}
