import type { Achat, Manque } from "./achat.ts";
import type { Argent } from "./envelope.ts";
import type { ProduitDuFlux, Republication } from "./produit.ts";
import type { RaisonArret } from "./filtres/regles.ts";

export const SOCKET_PATH = "/socket.io";

export interface FluxPayload {
  /** Newest first, at most FLUX_MAX_ITEMS. */
  readonly items: readonly ProduitDuFlux[];
  /** What a client that reconnects sends as `auth.depuis`. */
  readonly curseur: string;
  /** Why the stream rests, in French; absent while it is live. */
  readonly pause?: string;
  /** Unix ms at which the market is read again; absent where that is not known. */
  readonly reprise?: number;
}

export interface PurchasePayload {
  /** False only for a failure or 'Inconnu'. */
  readonly success: boolean;
  readonly message?: string | undefined;
  readonly error?: string | undefined;
  readonly purchase?: Achat | undefined;
}

/** A listing that the page has costs more by now; `flux_handler` brings one again only when its price fell. */
export interface PrixPayload {
  readonly id: number;
  readonly total_item_price: Argent;
}

/** What became known of a listing that the page has: that it was listed before, or its seller's facts. */
export interface ArticlePayload {
  readonly id: number;
  readonly republication?: Republication;
  readonly user?: { readonly note?: number; readonly avis?: number; readonly pays?: string };
}

/** The product ended automatic buying of filters. */
export interface FiltrePayload {
  readonly message: string;
  readonly raison: RaisonArret;
  readonly filtres: readonly string[];
  readonly groupe: string | null;
}

/** A listing was too cheap to be bought without the person's word. */
export interface AConfirmerPayload {
  readonly manque: Manque;
}

export interface ServerToClient {
  flux_handler: (payload: FluxPayload) => void;
  purchaseData: (payload: PurchasePayload) => void;
  prix: (payload: PrixPayload) => void;
  articleData: (payload: ArticlePayload) => void;
  filtreData: (payload: FiltrePayload) => void;
  achat_a_confirmer: (payload: AConfirmerPayload) => void;
}

export interface ClientToServer {
  flux_handler: () => void;
}

export interface HandshakeAuth {
  readonly depuis?: string;
  /** Ids of the newest listings on the page, at most `FLUX_MAX_SHOWN`: the server sends `prix` when the price of one rises. */
  readonly affiches?: readonly number[];
}
