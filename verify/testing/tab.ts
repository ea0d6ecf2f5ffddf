import { type Socket, io } from "socket.io-client";
import {
  type ClientToServer,
  type FluxPayload,
  type PurchasePayload,
  type ServerToClient,
  SOCKET_PATH,
} from "#contract/socket.ts";
import type { ProduitDuFlux } from "#contract/produit.ts";

/** An open page, as seen through its socket. */
export interface Tab {
  readonly socket: Socket<ServerToClient, ClientToServer>;
  /** Every `flux_handler` so far. */
  readonly flux: readonly FluxPayload[];
  readonly purchases: readonly PurchasePayload[];
  /** "connect", "connect_error: …" and "disconnect: …", in their order. */
  readonly life: readonly string[];
  /** All listings received, in order of arrival. */
  readonly items: readonly ProduitDuFlux[];
  close(): void;
}

export interface TabOptions {
  readonly transports?: ("websocket" | "polling")[];
  /** The cursor of an earlier connection. */
  readonly depuis?: string;
  /** The `Host` header, when it differs from the address. */
  readonly host?: string;
}

/** Opens a page's socket with a person's cookie, without automatic reconnection. */
export function openTab(url: string, cookie: string, options: TabOptions = {}): Tab {
  const socket: Socket<ServerToClient, ClientToServer> = io(url, {
    path: SOCKET_PATH,
    transports: options.transports ?? ["websocket"],
    reconnection: false,
    forceNew: true,
    extraHeaders: { cookie, ...(options.host === undefined ? {} : { host: options.host }) },
    auth: options.depuis === undefined ? {} : { depuis: options.depuis },
  });
  const flux: FluxPayload[] = [];
  const purchases: PurchasePayload[] = [];
  const life: string[] = [];
  socket.on("flux_handler", (payload) => flux.push(payload));
  socket.on("purchaseData", (payload) => purchases.push(payload));
  socket.on("connect", () => life.push("connect"));
  socket.on("connect_error", (error) => life.push(`connect_error: ${error.message}`));
  socket.on("disconnect", (reason) => life.push(`disconnect: ${reason}`));
  return {
    socket,
    flux,
    purchases,
    life,
    get items() {
      return flux.flatMap((payload) => payload.items.toReversed());
    },
    close: () => void socket.close(),
  };
}
