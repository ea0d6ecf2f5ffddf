import { LegalSection } from "./legal-section.tsx";
import { SupportLink } from "./support-link.tsx";

export function TermsText() {
  return (
    <>
      <p className="legal__lead">Ce que Synapse vous doit, ce que vous lui devez, en français courant.</p>
      <LegalSection title="Entre qui et qui">
        <p>
          Ces conditions lient l'exploitant de cette installation (<SupportLink />) et chaque personne qui s'y
          connecte. S'inscrire, c'est les accepter. Il faut être majeur.
        </p>
      </LegalSection>
      <LegalSection title="Accès">
        <ul>
          <li>
            Synapse est en bêta privée. S'inscrire donne un rang sur la liste d'attente, pas un droit à entrer
            à une date donnée. Aucune carte bancaire n'est demandée.
          </li>
          <li>L'exploitant ouvre un accès, avec ou sans date de fin, et peut le suspendre en cas d'abus.</li>
          <li>
            Quand un accès prend fin, vos filtres sont gardés mais ne cherchent plus, et les achats en cours
            sont suivis jusqu'au bout.
          </li>
          <li>Les prix affichés sont ceux des plans à venir. Rien ne vous est facturé sans votre accord.</li>
        </ul>
      </LegalSection>
      <LegalSection title="Votre compte de la place de marché">
        <p>
          Vous confiez à Synapse l'accès à votre propre compte, et à aucun autre. Une place de marché peut
          limiter ou interdire l'usage d'automates&nbsp;: il vous revient de savoir si le vôtre y est admis.
          Vous pouvez retirer cet accès à tout moment dans les paramètres.
        </p>
      </LegalSection>
      <LegalSection title="Acheter">
        <ul>
          <li>
            La vente est conclue entre vous et le vendeur. Paiement, livraison, retours et litiges suivent les
            règles de la place de marché.
          </li>
          <li>
            L'achat automatique agit sur vos filtres, sous leur prix et sous vos plafonds. Vous répondez de ce
            que vous lui demandez.
          </li>
          <li>
            Se déconnecter ou fermer la page n'arrête pas l'achat automatique. «&nbsp;Tout arrêter&nbsp;»
            l'arrête.
          </li>
          <li>
            Annuler un achat confirmé dépend du vendeur et de la place de marché. «&nbsp;Annulé&nbsp;»
            s'affiche quand elle l'a dit, pas avant.
          </li>
        </ul>
      </LegalSection>
      <LegalSection title="Ce que Synapse promet, et ce qu'il ne promet pas">
        <p>
          Il promet de ne pas payer deux fois le même article pour vous, de ne pas dépasser vos limites, et de
          vous dire ce qu'il ne sait pas. Il ne promet pas que vous aurez l'article, que la place de marché
          répondra, ni que le service ne s'arrêtera jamais&nbsp;: c'est une bêta.
        </p>
      </LegalSection>
      <LegalSection title="Bon usage">
        <p>
          Ne partagez ni ne revendez votre accès, n'essayez pas d'atteindre les données d'autrui, ne chargez
          pas le service au-delà d'un usage personnel. Les critères d'un filtre public peuvent être copiés par
          les autres abonnés.
        </p>
      </LegalSection>
      <LegalSection title="Responsabilité et droit">
        <p>
          L'exploitant répond de ses fautes&nbsp;; il ne répond ni de l'état des articles, ni des décisions de
          la place de marché ou de votre banque. S'applique le droit du pays où il est établi, sans vous
          priver des protections que la loi de votre pays donne aux consommateurs.
        </p>
      </LegalSection>
      <LegalSection title="Changements">
        <p>
          Un changement important vous est annoncé avant de s'appliquer. Vous pouvez alors fermer votre
          compte.
        </p>
      </LegalSection>
    </>
  );
}
