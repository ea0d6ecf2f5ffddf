import { LegalSection } from "./legal-section.tsx";
import { SupportLink } from "./support-link.tsx";

export function PrivacyText() {
  return (
    <>
      <p className="legal__lead">
        Ce que Synapse sait de vous, où il le garde, combien de temps, et qui d'autre le voit.
      </p>
      <LegalSection title="Qui est responsable">
        <p>
          L'exploitant de cette installation décide de ce qui est gardé et en répond. On le joint à{" "}
          <SupportLink />.
        </p>
      </LegalSection>
      <LegalSection title="Ce qui est gardé">
        <dl>
          <div>
            <dt>Votre identité Discord</dt>
            <dd>
              Identifiant, nom, adresse mail, image de profil. Synapse ne reçoit pas votre mot de passe et n'a
              accès ni à vos messages ni à vos serveurs.
            </dd>
          </div>
          <div>
            <dt>Vos filtres</dt>
            <dd>
              Critères, étiquette et notes. D'un filtre public, les autres abonnés voient l'étiquette et les
              critères&nbsp;; jamais votre nom, vos notes ni votre moyen de paiement.
            </dd>
          </div>
          <div>
            <dt>Vos paramètres d'achat</dt>
            <dd>
              Token de votre compte de la place de marché, adresse, points relais, plafonds, et lequel de vos
              deux moyens de paiement utiliser. Aucun numéro de carte&nbsp;: il reste sur la place de marché.
            </dd>
          </div>
          <div>
            <dt>Vos achats</dt>
            <dd>
              Article, prix, dates, état, et le journal de ce qui a été tenté, pour pouvoir rendre des
              comptes.
            </dd>
          </div>
          <div>
            <dt>Un journal de sécurité</dt>
            <dd>Connexions, changements de réglages (leur nom, pas leur contenu), gestes de l'exploitant.</dd>
          </div>
        </dl>
      </LegalSection>
      <LegalSection title="Pourquoi">
        <p>
          Pour rendre le service que vous demandez (l'exécution du contrat) et pour le protéger (l'intérêt
          légitime à prévenir la fraude). Rien n'est vendu, rien ne sert à vous profiler.
        </p>
      </LegalSection>
      <LegalSection title="Où, et comment">
        <p>
          Dans la base de données de l'exploitant. Identité, token, adresse et points relais y sont chiffrés
          (AES-256-GCM), chaque personne avec sa propre clé, elle-même rangée à part. Les sessions n'y
          figurent que sous forme d'empreinte.
        </p>
      </LegalSection>
      <LegalSection title="Combien de temps">
        <ul>
          <li>Une session&nbsp;: 24 heures sans visite, 30 jours au plus.</li>
          <li>Les annonces lues&nbsp;: 24 heures.</li>
          <li>Les journaux techniques et de sécurité&nbsp;: 12 mois au plus.</li>
          <li>Filtres, paramètres et achats&nbsp;: tant que le compte existe.</li>
          <li>Les achats simulés&nbsp;: les mille derniers.</li>
          <li>
            Un compte supprimé&nbsp;: effacé aussitôt, dans les sauvegardes sous 30 jours. Les écritures
            d'argent sont gardées sans votre nom.
          </li>
        </ul>
      </LegalSection>
      <LegalSection title="Qui d'autre le voit">
        <ul>
          <li>
            Discord, au moment où vous vous y identifiez et, si vous enregistrez un webhook, pour chaque achat
            annoncé&nbsp;: l'article, son prix, le nom du filtre.
          </li>
          <li>
            La place de marché&nbsp;: votre token, et à l'achat votre adresse ou votre point relais, comme si
            vous achetiez vous-même.
          </li>
          <li>
            Les serveurs de photos de la place de marché et des images de profil&nbsp;: votre navigateur les y
            charge, ils voient donc votre adresse IP, mais pas la page où vous êtes.
          </li>
        </ul>
        <p>Personne d'autre. Ni police de caractères, ni statistique, ni publicité venue d'ailleurs.</p>
      </LegalSection>
      <LegalSection title="Vos droits">
        <p>
          Obtenir une copie, corriger, effacer, vous opposer&nbsp;: tout est expliqué dans{" "}
          <a href="/rgpd">vos droits</a>.
        </p>
      </LegalSection>
    </>
  );
}
