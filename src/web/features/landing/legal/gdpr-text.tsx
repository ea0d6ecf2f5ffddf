import { LegalSection } from "./legal-section.tsx";
import { SupportLink } from "./support-link.tsx";

export function GdprText() {
  return (
    <>
      <p className="legal__lead">
        Vos données sont à vous. Voici comment les reprendre, ou les faire disparaître.
      </p>
      <LegalSection title="Exercer un droit">
        <p>
          Écrivez à <SupportLink /> depuis l'adresse mail de votre compte Discord, ou en donnant votre
          identifiant Discord. C'est gratuit, et la réponse vient en un mois au plus.
        </p>
      </LegalSection>
      <LegalSection title="Obtenir une copie">
        <p>
          L'exploitant produit un fichier JSON de tout ce qui vous concerne&nbsp;: identité, filtres,
          paramètres, achats, extrait du journal. Seul le token de la place de marché n'y figure pas, pour
          votre sécurité. Le format se relit sans Synapse.
        </p>
      </LegalSection>
      <LegalSection title="Tout effacer">
        <p>
          «&nbsp;Supprimer mon compte&nbsp;», dans les paramètres, efface aussitôt vos données et détruit
          votre clé de chiffrement. Tant qu'un achat est encore en cours, rien n'est effacé&nbsp;: ce qui le
          prouve doit rester jusqu'à ce qu'il soit réglé. Les copies dans les sauvegardes disparaissent avec
          elles, sous 30 jours. Les écritures d'argent sont gardées sans nom, pour que les comptes restent
          justes.
        </p>
      </LegalSection>
      <LegalSection title="Faire soi-même">
        <ul>
          <li>Supprimer un filtre&nbsp;: sur sa carte, dans «&nbsp;Mes filtres&nbsp;».</li>
          <li>
            Corriger une adresse, retirer un point relais, déconnecter le compte&nbsp;: dans les paramètres.
          </li>
          <li>Déconnecter un appareil, supprimer le compte&nbsp;: dans les paramètres.</li>
          <li>Arrêter tout achat automatique&nbsp;: «&nbsp;Tout arrêter&nbsp;».</li>
        </ul>
      </LegalSection>
      <LegalSection title="Décision automatique">
        <p>
          L'achat automatique applique vos filtres, vos prix et vos plafonds, sur votre instruction. Il ne
          vous évalue pas, et vous pouvez l'arrêter à tout moment.
        </p>
      </LegalSection>
      <LegalSection title="Si la réponse ne suffit pas">
        <p>
          Vous pouvez saisir l'autorité de protection des données de votre pays&nbsp;; en France, la{" "}
          <a href="https://www.cnil.fr/fr/plaintes" rel="noopener noreferrer">
            CNIL
          </a>
          .
        </p>
      </LegalSection>
    </>
  );
}
