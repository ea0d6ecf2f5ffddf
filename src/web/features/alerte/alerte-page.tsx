/**
 * The landing page of an alert's link. The URL fragment is the link's secret, which reaches no server log or
 * link preview; buying takes a press here, in the user's own session.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call, CallError, errorText, isOutcomeUnknown } from "../../api/client.ts";
import { userQuery, useSession } from "../../api/session.ts";
import { formatMoney } from "../../ui/format.ts";
import { Logo } from "../../ui/logo.tsx";
import type { AchatDuLien, Bought, Lien } from "../../api/alerts/alert-answers.ts";
import { ACHAT_ANNULE, ACHAT_EN_ATTENTE, ACHAT_INCONNU } from "#contract/bounds.ts";
import "./alerte-page.css";

const LINK_KEY = "alert-link";
const SIGN_IN = "/auth/discord";
/** Polling interval while a purchase is in flight. */
const POLL_MS = 3_000;
/** While the link is valid: the server may end it later than this device's clock does. */
const LOOK_MS = 30_000;
/** A link lasts ten minutes. */
const MAX_LEFT_S = 600;
const OFFLINE_TEXT = "Vous êtes hors ligne : rien n'a été acheté.";
const MAYBE_TEXT = "l'achat a peut-être eu lieu. Rien ne sera payé deux fois ; voyez Achats.";

export function AlertePage() {
  const [jeton] = useState(() => window.location.hash.slice(1));
  const { user, isKnown, isSubscriber } = useSession();
  const session = useQuery(userQuery);
  const link = useQuery({
    queryKey: [LINK_KEY, jeton],
    queryFn: async ({ signal }) => (await call("alertLink", { signal, body: { jeton } })).lien,
    enabled: isSubscriber && jeton !== "",
    retry: false,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data } }) => {
      if (data?.achat?.status === ACHAT_EN_ATTENTE) return POLL_MS;
      return data?.etat === "valide" && LOOK_MS;
    },
  });
  return (
    <main className="alerte stack" tabIndex={-1}>
      <a className="alerte__home" href="/synapse/articles" aria-label="Synapse, vers les produits">
        <Logo />
      </a>
      {session.isLoadingError ? (
        <Failure error={session.error} onRetry={() => void session.refetch()} />
      ) : !isKnown ? (
        // After a failure there is a page to replace; the first reading is too short for a text.
        session.errorUpdateCount > 0 && <p role="status">Chargement…</p>
      ) : user === null ? (
        <SignIn />
      ) : !isSubscriber ? (
        <Message title="Votre compte n'a pas d'abonnement actif">
          <a className="alerte__button centred" href="/#prix">
            Voir les offres
          </a>
        </Message>
      ) : link.data !== undefined ? (
        <Listing jeton={jeton} lien={link.data} />
      ) : link.isError || jeton === "" ? (
        <Failure error={link.error} onRetry={() => void link.refetch()} />
      ) : (
        <p role="status">Chargement de l'article…</p>
      )}
    </main>
  );
}

/** Opens a new tab, since a sign-in ends on another page; this page refetches when visible again. */
function SignIn() {
  const client = useQueryClient();
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === "visible") void client.invalidateQueries({ queryKey: ["user"] });
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [client]);
  return (
    <Message title="Connectez-vous pour acheter">
      <p className="aside">Cette page montre l'article de l'alerte dès que vous êtes connecté.</p>
      <a className="alerte__button centred" data-main href={SIGN_IN} target="_blank" rel="noopener">
        Se connecter
      </a>
    </Message>
  );
}

interface MessageProps {
  readonly title: string;
  readonly children?: React.ReactNode;
}

function Message({ title, children }: MessageProps) {
  return (
    <section className="alerte__card card stack" data-gap="12">
      <h1>{title}</h1>
      {children}
    </section>
  );
}

interface FailureProps {
  /** Null without a link to read. */
  readonly error: unknown;
  readonly onRetry: () => void;
}

function Failure({ error, onRetry }: FailureProps) {
  const retry = (): void => {
    // The pressed button is replaced.
    document.querySelector("main")?.focus({ preventScroll: true });
    onRetry();
  };
  const isUnknown = error === null || (error instanceof CallError && error.status === 404);
  return (
    <Message title={isUnknown ? "Ce lien est inconnu" : "L'article n'a pas pu être lu"}>
      {isUnknown ? null : (
        <>
          <p role="alert">{errorText(error)}</p>
          <button type="button" className="alerte__button centred" data-main onClick={retry}>
            Réessayer
          </button>
        </>
      )}
      <a className="alerte__button centred" href="/synapse/articles">
        Voir mes articles
      </a>
    </Message>
  );
}

function Listing({ jeton, lien }: { readonly jeton: string; readonly lien: Lien }) {
  const client = useQueryClient();
  const queryKey = [LINK_KEY, jeton];
  const { produit, prix, achat } = lien;
  const buy = useAction(async (): Promise<Bought> => {
    if (!navigator.onLine) throw new CallError(OFFLINE_TEXT, 0, { code: "hors_ligne" });
    try {
      const bought = await call("buyFromAlert", { body: { jeton } });
      // Ahead of the refetch, which may fail: an earlier purchase that was cancelled would offer the listing again.
      client.setQueryData<Lien>(queryKey, (known) =>
        known === undefined ? known : { ...known, etat: "utilise", achat: bought.purchase },
      );
      return bought;
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      throw new CallError(`${errorText(error).replace(/[.\s]+$/u, "")}\u00A0: ${MAYBE_TEXT}`, 0, {
        cause: error,
      });
    } finally {
      void client.invalidateQueries({ queryKey });
    }
  });
  const answer = buy.state.kind === "done" ? buy.state.answer : null;
  const photo = produit?.photo ?? null;
  return (
    <section className="alerte__card card stack" tabIndex={-1} aria-labelledby="alerte-titre">
      {photo === null ? null : <img className="alerte__photo" src={photo.url} alt="" />}
      <div className="alerte__words stack" data-gap="12">
        <h1 id="alerte-titre">{produit?.title ?? "Cet article n'est plus connu"}</h1>
        {produit === null ? null : (
          <p className="aside">
            {[produit.brand_title, produit.size_title, produit.status?.trim() || "N/A"]
              .filter((part) => part !== "")
              .join(" · ")}
          </p>
        )}
        {achat !== null && achat.status !== ACHAT_ANNULE ? (
          <>
            <Price prix={prix} />
            <Purchase
              achat={achat}
              message={answer !== null && isAlike(answer.purchase, achat) ? answer.message : null}
            />
          </>
        ) : (
          <Buy lien={lien} achat={achat} action={buy} />
        )}
        <div className="alerte__more row">
          {achat === null && lien.etat !== "utilise" ? null : (
            <a className="alerte__button centred" href="/synapse/achats">
              Mes achats
            </a>
          )}
          {produit === null ? (
            <a className="alerte__button centred" href="/synapse/articles">
              Voir mes articles
            </a>
          ) : (
            <>
              <a className="alerte__button centred" href={produit.url} rel="noreferrer">
                Voir
              </a>
              <Block login={produit.user.login} id={produit.user.id} />
            </>
          )}
          <Pause />
        </div>
      </div>
    </section>
  );
}

/** Shown where no button states the price. */
function Price({ prix }: Pick<Lien, "prix">) {
  return (
    <p className="alerte__price">
      {formatMoney(prix)} <small className="aside">hors livraison</small>
    </p>
  );
}

interface PurchaseProps {
  readonly achat: AchatDuLien;
  /** The server's message for this state; null if there is none. */
  readonly message: string | null;
}

function Purchase({ achat, message }: PurchaseProps) {
  const { status, purchase_confirmation: confirmation } = achat;
  const isAwaiting = isAwaitingBank(achat);
  return (
    <>
      <p role="status">
        {message ?? (isAwaiting ? "Votre banque attend votre confirmation" : stateText(status))}
      </p>
      {isAwaiting && confirmation !== null ? (
        <a className="alerte__button centred" data-main href={confirmation} rel="noreferrer">
          Confirmer
        </a>
      ) : null}
    </>
  );
}

/** The panel's rule (awaiting-bank.ts), of which this page loads no part: the bank may ask in its own application. */
function isAwaitingBank({ status, purchase_confirmation, a_payer }: AchatDuLien): boolean {
  return status === ACHAT_EN_ATTENTE && (purchase_confirmation !== null || a_payer !== undefined);
}

/** Whether the answer to the press still says how the purchase stands. */
function isAlike(one: AchatDuLien, other: AchatDuLien): boolean {
  return (
    one.status === other.status &&
    one.purchase_confirmation === other.purchase_confirmation &&
    isAwaitingBank(one) === isAwaitingBank(other)
  );
}

function stateText(status: number): string {
  if (status === ACHAT_EN_ATTENTE) return "Achat en cours";
  return status === ACHAT_INCONNU ? "Achat à vérifier" : "Déjà acheté";
}

interface BuyProps {
  readonly lien: Lien;
  /** The purchase that was cancelled; null if there was none. */
  readonly achat: AchatDuLien | null;
  readonly action: { readonly state: ActionState<Bought>; readonly perform: () => void };
}

function Buy({ lien, achat, action: { state, perform } }: BuyProps) {
  const leftS = useSecondsUntil(lien.expire_a);
  const client = useQueryClient();
  const hasEnded = leftS === 0;
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: [LINK_KEY] });
  }, [client, hasEnded]);
  const failure = state.kind === "failed" ? <p role="alert">{state.text}</p> : null;
  const said = overText(lien, achat);
  if (said !== null)
    return (
      <>
        <Price prix={lien.prix} />
        {/* A link that expired was never used: why an earlier press bought nothing is of no use any more. */}
        {lien.etat === "expire" || failure === null ? <p role="status">{said}</p> : failure}
      </>
    );
  const isBusy = state.kind === "busy";
  return (
    <>
      {/* The server spends the link before it buys: one that is still valid has bought nothing. */}
      {failure}
      <button
        type="button"
        className="alerte__button centred"
        data-main
        disabled={isBusy}
        aria-busy={isBusy}
        onClick={perform}
      >
        {isBusy ? "Achat en cours…" : `Acheter ${formatMoney(lien.prix)}`}
      </button>
      <div className="row between aside">
        <p>hors livraison</p>
        {hasEnded ? null : (
          <p aria-live="off">
            {`Encore ${Math.floor(leftS / 60)} min ${String(leftS % 60).padStart(2, "0")} s`}
          </p>
        )}
      </div>
    </>
  );
}

/** Why the link can no longer buy; null if it can. The server decides, because this device's clock may be wrong. */
export function overText(
  { etat }: Pick<Lien, "etat">,
  cancelled: Pick<AchatDuLien, "raison"> | null,
): string | null {
  // A link that was not used offers the listing, also if another purchase of it was cancelled.
  if (cancelled !== null && etat === "utilise")
    return `Achat annulé.${cancelled.raison === null ? "" : ` ${cancelled.raison}`}`;
  if (etat === "utilise") return "Ce lien a déjà servi";
  return etat === "expire" ? "Ce lien a expiré" : null;
}

interface Answer {
  readonly message?: string | undefined;
}

type ActionState<Result> =
  | { readonly kind: "idle" }
  | { readonly kind: "busy" }
  | { readonly kind: "done"; readonly answer: Result }
  | { readonly kind: "failed"; readonly text: string };

/** Runs one action at a time and keeps its result. */
function useAction<Result extends Answer>(work: () => Promise<Result>) {
  const [state, setState] = useState<ActionState<Result>>({ kind: "idle" });
  const perform = (): void => {
    if (state.kind === "busy") return;
    // The pressed button is disabled now, and in most cases replaced by the result.
    document.querySelector<HTMLElement>(".alerte__card")?.focus({ preventScroll: true });
    setState({ kind: "busy" });
    work().then(
      (answer) => setState({ kind: "done", answer }),
      (error: unknown) => setState({ kind: "failed", text: errorText(error) }),
    );
  };
  return { state, perform };
}

function Block({ login, id }: { readonly login: string; readonly id: number | null }) {
  const vendeur = { login, ...(id === null ? {} : { id }) };
  const block = useAction((): Promise<Answer> => call("blockSellers", { body: { vendeurs: [vendeur] } }));
  return <ActionButton label="Bloquer ce vendeur" action={block} />;
}

function Pause() {
  const pause = useAction((): Promise<Answer> => call("pauseAlerts", { body: { minutes: 60 } }));
  return <ActionButton label="Pause 1 h" action={pause} />;
}

interface ActionButtonProps {
  readonly label: string;
  readonly action: { readonly state: ActionState<Answer>; readonly perform: () => void };
}

/** A button that is replaced by the result of its action. */
function ActionButton({ label, action: { state, perform } }: ActionButtonProps) {
  if (state.kind === "done") return <p role="status">{state.answer.message ?? "C'est fait."}</p>;
  return (
    <>
      <button
        type="button"
        className="alerte__button centred"
        disabled={state.kind === "busy"}
        onClick={perform}
      >
        {label}
      </button>
      {state.kind === "failed" ? <p role="alert">{state.text}</p> : null}
    </>
  );
}

/** At most `MAX_LEFT_S`, and 0 on a clock that is too far ahead. */
function useSecondsUntil(atMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.min(Math.max(0, Math.ceil((atMs - nowMs) / 1_000)), MAX_LEFT_S);
}
