import { SIGN_IN_PATH } from "#contract/routes.ts";
import type { Session } from "../../api/session.ts";
import { Icon } from "./icon.tsx";
import { beginSignIn } from "../../api/sign-in-trace.ts";
import { SignedIn } from "./signed-in.tsx";
import { useSignInOutcome } from "./use-sign-in-outcome.ts";
import { useSignOut } from "./use-sign-out.ts";
import "./closing-section.css";
import "./place-tag.css";

/** Where one joins: the private beta and its waiting list, said as they are. */
export function ClosingSection({ session }: { readonly session: Session }) {
  // Kept here, so that the goodbye outlives the card of who was signed in.
  const leaving = useSignOut();
  const outcome = useSignInOutcome(session);
  return (
    <section className="closing" id="login" aria-labelledby="login-title">
      <h2 className="closing__title" id="login-title">
        Bêta privée. Vraie liste d’attente.
      </h2>
      <div className="closing__body">
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
        <div className="closing__place" data-signed-in={session.user === null ? undefined : ""}>
          {session.user === null ? <JoinCard /> : <SignedIn user={session.user} leaving={leaving} />}
          <p className="closing__message" role="alert">
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
      <p className="place-tag__label">Votre place</p>
      <p className="place-tag__rank" aria-hidden="true">
        ?<sup>e</sup>
      </p>
      <a
        className="landing-button landing-button--volt place-tag__action"
        href={SIGN_IN_PATH}
        onClick={beginSignIn}
      >
        Rejoindre Dès Maintenant
        <Icon name="arrow" />
      </a>
      <p className="place-tag__small">Déjà inscrit&nbsp;? Le même bouton vous ramène à votre compte.</p>
    </div>
  );
}
