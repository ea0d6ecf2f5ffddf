import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { SIGN_IN_PATH } from "#contract/first-routes.ts";
import type { Utilisateur } from "#contract/compte.ts";
import { call, errorText } from "../../api/client.ts";
import {
  type Session,
  beginSignIn,
  forgetPerson,
  takeSignInOutcome,
  type SignInOutcome,
} from "../../api/session.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "./icon.tsx";
import { ordinalEnding, waitlistSentence } from "./waitlist-place.ts";
import "./closing-section.css";

/** The private beta, its waiting list and the sign-in. */
export function ClosingSection({ session }: { readonly session: Session }) {
  // Held here, so that the sign-out message outlives the card of the signed-in user.
  const leaving = useSignOut();
  const outcome = useSignInOutcome(session);
  return (
    <section className="closing volt" id="login" aria-labelledby="login-title" tabIndex={-1}>
      <h2 className="landing-title closing__title" id="login-title">
        Bêta privée. Vraie liste d'attente.
      </h2>
      <div className="closing__body stack">
        <ol className="closing__steps">
          <li>
            <h3>Connectez-vous avec Discord</h3>
            <p>Synapse ne demande que votre identifiant et votre adresse mail. Aucune carte bancaire.</p>
          </li>
          <li>
            <h3>Prenez votre rang</h3>
            <p>Il s'affiche ici même, à chacune de vos visites.</p>
          </li>
          <li>
            <h3>Entrez</h3>
            <p>
              Les accès s'ouvrent un à un. Aucun mail n'est envoyé&nbsp;: le Panel apparaît à votre prochaine
              visite.
            </p>
          </li>
        </ol>
        <div className="closing__place">
          {session.user === null ? <JoinCard /> : <SignedIn user={session.user} leaving={leaving} />}
          <p className="closing__message strong" role="alert">
            {leaving.message === "" ? outcome : leaving.message}
          </p>
        </div>
      </div>
    </section>
  );
}

function JoinCard() {
  return (
    <div className="place-tag">
      <p className="dim strong">Votre place</p>
      <p className="place-tag__rank display-voice" aria-hidden="true">
        ?<sup>e</sup>
      </p>
      <a className="landing-button volt place-tag__action" href={SIGN_IN_PATH} onClick={beginSignIn}>
        Rejoindre Dès Maintenant
        <Icon name="arrow" />
      </a>
      <p className="place-tag__small dim">Déjà inscrit&nbsp;? Le même bouton vous ramène à votre compte.</p>
    </div>
  );
}

const texts: Readonly<Record<SignInOutcome, string>> = {
  none: "",
  refused: "La connexion n'a pas abouti : elle a été refusée ou a expiré. Réessayez.",
  forgotten:
    "Discord vous a reconnu, mais votre navigateur n'a pas gardé la connexion. Autorisez les cookies de ce site, quittez la navigation privée, puis réessayez.",
};

/** Why a visitor who returns from signing in has no session; empty for all others. */
function useSignInOutcome({ isKnown, user }: Session): string {
  const [outcome, setOutcome] = useState<SignInOutcome>("none");
  const isNobody = isKnown && user === null;
  useEffect(() => {
    if (!isKnown) return;
    const taken = takeSignInOutcome(window.location.hash);
    if (taken === "none" || !isNobody) return;
    setOutcome(taken);
    document.getElementById("login")?.scrollIntoView();
  }, [isKnown, isNobody]);
  return isNobody ? texts[outcome] : "";
}

interface SignedInProps {
  readonly user: Utilisateur;
  readonly leaving: SignOut;
}

/** For a signed-in user: the link to the panel, or the place on the waiting list. */
function SignedIn({ user, leaving }: SignedInProps) {
  return (
    <div className="place-tag">
      <p className="dim strong">{user.name}</p>
      {user.level > 0 ? <PanelLink /> : <WaitlistPlace user={user} />}
      <button
        type="button"
        className="place-tag__out strong"
        disabled={leaving.isBusy}
        onClick={leaving.signOut}
      >
        Se déconnecter
      </button>
    </div>
  );
}

function PanelLink() {
  return (
    <>
      <p className="place-tag__sentence strong">Votre accès est ouvert.</p>
      <a className="landing-button volt place-tag__action" href="/synapse/articles">
        Aller au Panel
        <Icon name="arrow" />
      </a>
    </>
  );
}

function WaitlistPlace({ user: { waitlist } }: { readonly user: Utilisateur }) {
  if (waitlist === undefined) {
    return (
      <p className="place-tag__sentence strong">
        Votre compte n'a pas d'accès en ce moment. Le support vous répond.
      </p>
    );
  }
  return (
    <>
      <p className="place-tag__rank display-voice" aria-hidden="true">
        {formatCount(waitlist.rank)}
        <sup>{ordinalEnding(waitlist.rank)}</sup>
      </p>
      <p className="place-tag__sentence strong">{waitlistSentence(waitlist)}</p>
      <p className="place-tag__small dim">
        Les accès s'ouvrent un à un, sans date promise. Synapse n'envoie pas de mail&nbsp;: revenez ici, le
        Panel s'ouvre à votre prochaine visite dès que votre tour vient.
      </p>
    </>
  );
}

interface SignOut {
  readonly signOut: () => void;
  readonly isBusy: boolean;
  /** The server's message, or the error; empty before. */
  readonly message: string;
}

/** Asks for confirmation, ends the session and clears the user's data from the page. */
function useSignOut(): SignOut {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [message, setMessage] = useState("");

  const leave = async (): Promise<void> => {
    // The pressed button is disabled, and then gone.
    document.getElementById("login")?.focus({ preventScroll: true });
    setIsBusy(true);
    try {
      setMessage((await call("signOut")).message);
      void forgetPerson(client);
    } catch (error) {
      setMessage(errorText(error));
    } finally {
      setIsBusy(false);
    }
  };
  const signOut = (): void => {
    if (window.confirm("Voulez-vous vraiment vous déconnecter ?")) void leave();
  };
  return { signOut, isBusy, message };
}
