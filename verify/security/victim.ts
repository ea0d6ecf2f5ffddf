import { setTimeout as pause } from "node:timers/promises";
import type { BrowserContext } from "@playwright/test";
import { z } from "zod";
import type { Product } from "../../e2e/product.ts";
import { askProduct } from "#cli/ask-product.ts";
import { fetchOrSay } from "#verify/testing/fetch-or-say.ts";

/** A person signed in with a real browser, with data in every part of the product. */
export interface Victim {
  readonly filterId: string;
  /** A listing for sale that matches the filter; a click would buy it. */
  readonly listingId: number;
  /** The transaction of a confirmed purchase. */
  readonly transactionId: number;
  /** Everything that an attack could change; throws when the session has ended. */
  state(): Promise<VictimState>;
}

interface VictimState {
  readonly filters: unknown;
  readonly settings: unknown;
  readonly purchases: unknown;
  readonly orders: unknown;
  readonly tokensShown: number;
}

/** How long a browser, or what it waits for, may take on a busy machine. */
export const PATIENCE_MS = 240_000;

/** Signs in through the sandbox's page. @returns the `Cookie` header of the session */
export async function signInBrowser(context: BrowserContext, product: Product, persona: string) {
  const page = await context.newPage();
  await page.goto(`${product.url}/auth/discord`);
  await page.goto(`${page.url()}&persona=${persona}`);
  await page.close();
  const session = (await context.cookies(product.url)).find(({ name }) => name === "__Host-sid");
  if (session === undefined) throw new Error("the browser did not get in");
  return `${session.name}=${session.value}`;
}

const purchases = z.object({
  purch: z.array(z.looseObject({ status: z.number(), id_transaction: z.number().nullable() })),
});

export async function victimOf(product: Product, cookie: string): Promise<Victim> {
  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetchOrSay(`${product.url}${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 401) throw new Error("no session");
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  }
  async function untilStatus(count: number, status: number): Promise<void> {
    const giveUpAtMs = Date.now() + PATIENCE_MS;
    while (Date.now() < giveUpAtMs) {
      const { purch } = purchases.parse(await ask("GET", "/vinted/purchases"));
      if (purch.filter((one) => one.status === status).length >= count) return;
      await pause(50);
    }
    throw new Error(`no purchase came to status ${status}`);
  }

  const word = "victime";
  const added = await ask("POST", "/filtres/add", { tag: word, mots: [word], limit: 1_000 });
  const { filtre } = z.object({ filtre: z.object({ _id: z.string() }) }).parse(added);
  const [cancelled, kept, free] = await product.sandbox.publish(
    ["annulé", "gardé", "libre"].map((kind) => ({ title: `${word} ${kind}`, price: 10 })),
  );
  if (cancelled === undefined || kept === undefined || free === undefined)
    throw new Error("too few listings");
  await untilSeen(ask, free.id);
  await ask("POST", "/purchase/click", { id: cancelled.id });
  await untilStatus(1, 1);
  const { purch } = purchases.parse(await ask("GET", "/vinted/purchases"));
  await ask("POST", "/vinted/cancel", { id: purch[0]?.id_transaction });
  await untilStatus(1, 0);
  await ask("POST", "/purchase/click", { id: kept.id });
  await untilStatus(1, 1);
  const now = purchases.parse(await ask("GET", "/vinted/purchases")).purch;
  const transactionId = now.find(({ status }) => status === 1)?.id_transaction;
  if (typeof transactionId !== "number") throw new Error("nothing was bought");

  return {
    filterId: filtre._id,
    listingId: free.id,
    transactionId,
    async state() {
      return {
        filters: await ask("GET", "/filtres/get"),
        settings: await ask("GET", "/vinted/get"),
        purchases: await ask("GET", "/vinted/purchases"),
        orders: await product.sandbox.orders(),
        tokensShown: await auditCount(product, "thunder-victime", "token_shown"),
      };
    },
  };
}

const audited = z.object({ audit: z.array(z.object({ kind: z.string() })) });

async function auditCount({ dataDir }: Product, name: string, kind: string): Promise<number> {
  const answer = await askProduct({ command: "export", input: { name } }, dataDir);
  if (!answer.ok) throw new Error(answer.error);
  return audited.parse(answer.data).audit.filter((entry) => entry.kind === kind).length;
}

async function untilSeen(
  ask: (method: string, path: string) => Promise<unknown>,
  listingId: number,
): Promise<void> {
  const seen = z.object({ items: z.array(z.looseObject({ id: z.number() })) });
  for (let round = 0; round < 300; round += 1) {
    const { items } = seen.parse(await ask("GET", "/articles/recent"));
    if (items.some(({ id }) => id === listingId)) return;
    await pause(50);
  }
  throw new Error("the listing did not come");
}
