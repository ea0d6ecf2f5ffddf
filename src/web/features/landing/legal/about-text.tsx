import { LegalSection } from "./legal-section.tsx";
import { SupportLink } from "./support-link.tsx";

export function AboutText() {
  return (
    <>
      <p className="legal__lead">
        Les bonnes pièces de seconde main partent en quelques secondes. Synapse les guette à votre place.
      </p>
      <LegalSection title="Ce que fait Synapse">
        <p>
          Vous décrivez ce que vous cherchez dans des filtres. Synapse lit les nouvelles annonces, vous montre
          en direct celles qui correspondent, et les achète en un clic ou, si vous l'avez demandé,
          automatiquement. Il s'adresse aux collectionneurs et aux revendeurs qui connaissent leurs prix.
        </p>
      </LegalSection>
      <LegalSection title="Trois règles de la maison">
        <ul>
          <li>
            Un seul lecteur pour tous. Le nombre de demandes faites à la place de marché ne grandit pas avec
            le nombre d'abonnés&nbsp;; il suit le rythme qu'elle accepte, et s'arrête quand elle le demande.
          </li>
          <li>
            Jamais deux paiements. Un paiement douteux est vérifié dans vos commandes&nbsp;; il n'est jamais
            relancé à l'aveugle.
          </li>
          <li>
            Vos secrets restent des secrets. L'accès à votre compte, votre adresse et vos points relais sont
            chiffrés, chaque personne avec sa propre clé.
          </li>
        </ul>
      </LegalSection>
      <LegalSection title="Ce que Synapse n'est pas">
        <p>
          Synapse n'est affilié à aucune place de marché et ne vend rien lui-même&nbsp;: chaque achat est
          conclu entre vous et le vendeur, sur la place de marché, avec ses règles et ses protections.
        </p>
      </LegalSection>
      <LegalSection title="Qui l'exploite">
        <p>
          L'exploitant de cette installation la tient, ouvre les accès et répond de vos données. On lui écrit
          à <SupportLink />.
        </p>
      </LegalSection>
    </>
  );
}
