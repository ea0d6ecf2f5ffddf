import { z } from "zod";
import { fetchOrSay } from "./fetch-or-say.ts";

const money = z.object({ amount: z.string(), currency_code: z.string() });
const publishedItems = z.object({
  items: z.array(
    z.object({
      id: z.number(),
      path: z.string(),
      total_item_price: money,
      user: z.object({ id: z.number(), login: z.string() }),
    }),
  ),
});
const orders = z.object({
  orders: z.array(
    z.object({
      transaction_id: z.number(),
      item_id: z.number(),
      account: z.string(),
      total: money,
      state: z.enum(["open", "awaiting", "paid", "cancelled", "failed"]),
      payments: z.number(),
      payment_requests: z.number(),
    }),
  ),
});
const requests = z.object({ total: z.number(), by_route: z.record(z.string(), z.number()) });

const receptions = z.object({
  receptions: z.array(
    z.object({
      n: z.number(),
      pour: z.string(),
      pris: z.boolean(),
      statut: z.number(),
      entetes: z.record(z.string(), z.unknown()),
      contenu: z.unknown(),
    }),
  ),
});
type Reception = z.output<typeof receptions>["receptions"][number];
const chatMessages = z.object({
  messages: z.array(
    z.object({
      message_id: z.number(),
      de: z.string(),
      texte: z.string(),
      boutons: z.array(z.object({ texte: z.string(), url: z.string().optional() })),
      sonore: z.boolean(),
    }),
  ),
});
type ChatMessage = z.output<typeof chatMessages>["messages"][number];

export type PublishedItem = z.output<typeof publishedItems>["items"][number];
export type TrueOrder = z.output<typeof orders>["orders"][number];

/** A listing to publish; absent fields take the sandbox's defaults. */
export interface NewListing {
  readonly title: string;
  readonly price: number;
  readonly brand_title?: string;
  readonly size_title?: string | null;
  readonly status?: string;
  readonly catalog_id?: number;
  readonly color?: string;
  readonly shipping?: number;
  readonly seller?:
    | string
    | {
        readonly login: string;
        readonly id?: number;
        /** Null for none. */
        readonly rating?: number | null;
        readonly reviews?: number;
        readonly country?: string;
      };
  readonly secure?: boolean;
}

export interface FaultRequest {
  readonly route?: string;
  readonly kind: string;
  readonly rate: number;
  readonly count?: number;
  readonly delay_ms?: number;
  readonly retry_after?: number | string;
  readonly variant?: string;
}

/** The sandbox's control calls (contract §7). */
export interface SandboxClient {
  readonly url: string;
  publish(listings: NewListing | readonly NewListing[]): Promise<readonly PublishedItem[]>;
  sellToSomebodyElse(itemId: number): Promise<void>;
  changePrice(itemId: number, price: number): Promise<void>;
  setPace(listingsPerSecond: number): Promise<void>;
  arm(fault: FaultRequest): Promise<void>;
  clearFaults(): Promise<void>;
  confirm(transactionId: number): Promise<void>;
  cancelBySeller(transactionId: number): Promise<void>;
  /** The marketplace's actual orders. */
  orders(): Promise<readonly TrueOrder[]>;
  requests(): Promise<z.output<typeof requests>>;
  resetCounters(): Promise<void>;
  /** The first 1,000 alerts that the receivers got after number `after`, oldest first. */
  receptions(channel: string, recipient?: string, after?: number): Promise<readonly Reception[]>;
  chat(chat: number): Promise<readonly ChatMessage[]>;
  /** Any other control call. */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Generous: the speed of a busy machine is not under test. */
const ANSWER_TIMEOUT_MS = 120_000;

export function sandboxClient(url: string): SandboxClient {
  async function control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetchOrSay(`${url}/control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  return {
    url,
    control,
    async receptions(channel, recipient = "", after = 0) {
      const to = recipient === "" ? {} : { pour: recipient };
      const query = new URLSearchParams({ canal: channel, apres: String(after), ...to });
      return receptions.parse(await control("GET", `/receptions?${query.toString()}`)).receptions;
    },
    chat: async (chat) => chatMessages.parse(await control("GET", `/telegram/chats/${chat}`)).messages,
    publish: async (listings) => publishedItems.parse(await control("POST", "/listings", listings)).items,
    sellToSomebodyElse: async (itemId) => void (await control("DELETE", `/listings/${itemId}`)),
    changePrice: async (itemId, price) => void (await control("PATCH", `/listings/${itemId}`, { price })),
    setPace: async (pace) => void (await control("POST", "/pace", { listings_per_second: pace })),
    arm: async (fault) => void (await control("POST", "/faults", fault)),
    clearFaults: async () => void (await control("POST", "/faults", { clear: true })),
    confirm: async (id) => void (await control("POST", `/orders/${id}/confirm`, {})),
    cancelBySeller: async (id) => void (await control("POST", `/orders/${id}/cancel`, {})),
    orders: async () => orders.parse(await control("GET", "/orders")).orders,
    requests: async () => requests.parse(await control("GET", "/requests")),
    resetCounters: async () => void (await control("POST", "/reset-counters", {})),
  };
}
