import type { Achat, Manque } from "./achat.ts";
import type { Argent } from "./envelope.ts";
import type { ProduitDuFlux, Republication } from "./produit.ts";
import type { RaisonArret } from "./filtres/regles.ts";

export const SOCKET_PATH = "/socket.io";

export interface FluxPayload {
  /** Newest first, at most FLUX_MAX_ITEMS. */
  readonly items: readonly ProduitDuFlux[];
  /** A reconnecting client sends it as `auth.depuis`. */
  readonly curseur: string;
  /** Why the stream is paused, in French; absent while it is live. */
  readonly pause?: string;
  /** Unix ms at which the market is read again; absent: unknown. */
  readonly reprise?: number;
}

export interface PurchasePayload {
  /** False only for a failure or 'Inconnu'. */
  readonly success: boolean;
  readonly message?: string | undefined;
  readonly error?: string | undefined;
  readonly purchase?: Achat | undefined;
}

/** A listing on the page now costs more; a lower price is sent by `flux_handler` instead. */
export interface PrixPayload {
  readonly id: number;
  readonly total_item_price: Argent;
}

/**
 * What became known of a listing on the page: further filters hold it, it is a relist, it is sold (or for sale again), or
 * facts of its seller.
 */
export interface ArticlePayload {
  readonly id: number;
  /** Added to those of `flux_handler`. */
  readonly filtres?: readonly string[];
  readonly republication?: Republication;
  readonly vendu?: boolean;
  readonly user?: { readonly note?: number; readonly avis?: number; readonly pays?: string };
}

/** The product ended automatic buying of filters. */
export interface FiltrePayload {
  readonly message: string;
  readonly raison: RaisonArret;
  readonly filtres: readonly string[];
  readonly groupe: string | null;
}

/** A listing is too cheap to be bought without confirmation. */
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
  /** The plan or the stop of automatic buying changed, here or on another device: pages read both again. */
  compteData: () => void;
}

export interface ClientToServer {
  flux_handler: () => void;
}

export interface HandshakeAuth {
  readonly depuis?: string;
  /** Ids of the page's newest listings, at most `FLUX_MAX_SHOWN`: their new prices and facts are sent too. */
  readonly affiches?: readonly number[];
}
