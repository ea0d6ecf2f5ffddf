import type { Utilisateur } from "#contract/utilisateur.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "./icon.tsx";
import type { SignOut } from "./use-sign-out.ts";
import { ordinalEnding, waitlistSentence } from "./waitlist-place.ts";
import "./place-tag.css";

interface SignedInProps {
  readonly user: Utilisateur;
  readonly leaving: SignOut;
}

/** For who is signed in: the way to the panel, or the place on the waiting list. */
export function SignedIn({ user, leaving }: SignedInProps) {
  return (
    <div className="place-tag">
      <p className="place-tag__label">{user.name}</p>
      {user.level > 0 ? <PanelLink /> : <WaitlistPlace user={user} />}
      <button type="button" className="place-tag__out" disabled={leaving.isBusy} onClick={leaving.signOut}>
        Se déconnecter
      </button>
    </div>
  );
}

function PanelLink() {
  return (
    <>
      <p className="place-tag__sentence">Votre accès est ouvert.</p>
      <a className="landing-button landing-button--volt place-tag__action" href="/synapse/articles">
        Aller au Panel
        <Icon name="arrow" />
      </a>
    </>
  );
}

function WaitlistPlace({ user: { waitlist } }: { readonly user: Utilisateur }) {
  if (waitlist === undefined) {
    return (
      <p className="place-tag__sentence">
        Votre compte n'a pas d'accès en ce moment. Le support vous répond.
      </p>
    );
  }
  return (
    <>
      <p className="place-tag__rank" aria-hidden="true">
        {formatCount(waitlist.rank)}
        <sup>{ordinalEnding(waitlist.rank)}</sup>
      </p>
      <p className="place-tag__sentence">{waitlistSentence(waitlist)}</p>
      <p className="place-tag__small">
        Les accès s'ouvrent un à un, sans date promise. Synapse n'envoie pas de mail&nbsp;: revenez ici, le
        Panel s'ouvre à votre prochaine visite dès que votre tour vient.
      </p>
    </>
  );
}
