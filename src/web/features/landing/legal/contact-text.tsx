import { LegalSection } from "./legal-section.tsx";
import { SupportLink } from "./support-link.tsx";

export function ContactText() {
  return (
    <>
      <p className="legal__lead">
        Une adresse pour tout&nbsp;: <SupportLink />
      </p>
      <LegalSection title="Un achat à vérifier">
        <p>
          Donnez le titre de l'article, la date et l'heure affichées dans «&nbsp;Mes achats&nbsp;» et, s'il y
          en a un, le numéro de transaction. Un achat «&nbsp;Inconnu&nbsp;» n'est jamais relancé sans réponse.
        </p>
      </LegalSection>
      <LegalSection title="Votre accès">
        <p>
          Dites sous quel nom Discord vous êtes inscrit. Écrire ne change pas votre rang sur la liste
          d'attente, mais répare un compte bloqué.
        </p>
      </LegalSection>
      <LegalSection title="Vos données">
        <p>
          Pour recevoir une copie de vos données ou les faire effacer, un message suffit. La réponse vient en
          un mois au plus. Le détail est dans <a href="/rgpd">vos droits</a>.
        </p>
      </LegalSection>
      <LegalSection title="Une faille de sécurité">
        <p>
          Décrivez comment la reproduire, sur votre propre compte et sans toucher aux données d'autrui. Merci
          de laisser le temps de la corriger avant d'en parler.
        </p>
      </LegalSection>
      <LegalSection title="Ce qu'il ne faut jamais envoyer">
        <p>
          Ni le token de votre compte de la place de marché, ni un mot de passe, ni un numéro de carte. Le
          support n'en a pas besoin et ne les demandera pas.
        </p>
      </LegalSection>
    </>
  );
}
