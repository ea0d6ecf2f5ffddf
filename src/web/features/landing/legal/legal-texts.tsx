import { useArchiveDays } from "../page-document.ts";
import { DaysText, LegalSection, SupportLink } from "./legal-section.tsx";

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

export function PrivacyText() {
  const archiveDays = useArchiveDays();
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
              Critères, tag et info. D'un filtre public, les autres abonnés voient le tag et les
              critères&nbsp;; jamais votre nom, son info ni votre moyen de paiement.
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
            <dt>Vos vendeurs bloqués</dt>
            <dd>Leur nom et leur numéro sur la place de marché, et depuis quand vous les bloquez.</dd>
          </div>
          <div>
            <dt>Vos alertes et vos appareils</dt>
            <dd>
              L'abonnement aux notifications de chaque appareil, vos conversations Telegram et vos webhooks,
              vos heures calmes, et le nom de l'appareil de chaque session ouverte.
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
      <KeptTimes archiveDays={archiveDays} />
      <LegalSection title="Qui d'autre le voit">
        <ul>
          <li>
            Discord, au moment où vous vous y identifiez et, si vous enregistrez un webhook, pour chaque achat
            annoncé&nbsp;: l'article, son prix, le nom du filtre.
          </li>
          <li>
            Les services qui portent les alertes que vous demandez&nbsp;: le titre, le prix, la taille et
            l'état d'un article, ou une nouvelle d'un achat ou de votre compte. Celui de votre navigateur
            (Google, Mozilla, Microsoft ou Apple) n'en lit pas le texte, chiffré pour votre appareil&nbsp;;
            Telegram et Discord le lisent. Notre serveur de courrier ne porte que des nouvelles de votre
            compte et, si vous les y demandez, de vos achats.
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

/** @param props.archiveDays null: unknown, as while prerendering */
export function KeptTimes({ archiveDays }: { readonly archiveDays: number | null }) {
  return (
    <LegalSection title="Combien de temps">
      <ul>
        <li>Une session&nbsp;: 24 heures sans visite, 30 jours au plus.</li>
        <li>
          Les annonces lues&nbsp;: vendeur et photo 24 heures&nbsp;; les faits (type, marque, taille, état,
          couleur, prix, titre) <DaysText days={archiveDays} />, sans le vendeur.
        </li>
        <li>Un achat manqué&nbsp;: l'annonce avec son vendeur et sa photo, 7 jours.</li>
        <li>La note, le nombre d'avis et le pays d'un vendeur&nbsp;: 2 jours.</li>
        <li>
          De quoi reconnaître un article republié (une empreinte du vendeur et de l'article, ses prix)&nbsp;:
          30 jours.
        </li>
        <li>Les journaux techniques et de sécurité&nbsp;: 12 mois au plus.</li>
        <li>Filtres, vendeurs bloqués, paramètres et achats&nbsp;: tant que le compte existe.</li>
        <li>Les achats simulés&nbsp;: les mille derniers.</li>
        <li>Les alertes envoyées&nbsp;: 7 jours, les 500 dernières.</li>
        <li>
          Un compte supprimé&nbsp;: effacé aussitôt, dans les sauvegardes sous 30 jours. Les écritures
          d'argent sont gardées sans votre nom.
        </li>
      </ul>
    </LegalSection>
  );
}

export function CookiesText() {
  return (
    <>
      <p className="legal__lead">
        Deux cookies, tous deux nécessaires. Aucun traceur, aucune publicité, aucune mesure d'audience.
      </p>
      <LegalSection title="Les deux cookies">
        <dl>
          <div>
            <dt>
              <code>__Host-sid</code>, votre session
            </dt>
            <dd>
              Posé quand vous vous connectez. Il contient un numéro tiré au hasard, illisible par les scripts
              de la page et jamais envoyé depuis un autre site. Il cesse de valoir après 24 heures sans
              visite, 30 jours au plus, et aussitôt que vous vous déconnectez.
            </dd>
          </div>
          <div>
            <dt>
              <code>__Host-oauth</code>, le temps de la connexion
            </dt>
            <dd>
              Posé quand vous partez vous identifier chez Discord, pour reconnaître votre retour et refuser
              celui d'un imposteur. Il vit dix minutes au plus.
            </dd>
          </div>
        </dl>
      </LegalSection>
      <LegalSection title="Pourquoi pas de bandeau">
        <p>
          La loi demande un accord pour les cookies dont on peut se passer. Ceux-ci servent uniquement à vous
          connecter&nbsp;: sans eux, Synapse ne saurait pas qui vous êtes.
        </p>
      </LegalSection>
      <LegalSection title="Les préférences d'affichage">
        <p>
          Votre navigateur garde aussi quelques choix d'apparence&nbsp;: thème, grille ou liste, colonnes des
          filtres, son, raccourcis. Ils ne quittent pas votre appareil et ne disent rien de vos achats.
        </p>
      </LegalSection>
      <LegalSection title="S'en défaire">
        <p>
          Déconnectez-vous, ou effacez les données de ce site dans votre navigateur. L'achat automatique, lui,
          ne dépend d'aucun cookie&nbsp;: il s'arrête avec «&nbsp;Tout arrêter&nbsp;», dans le Panel.
        </p>
      </LegalSection>
    </>
  );
}

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
          L'exploitant produit un fichier JSON de tout ce qui vous concerne&nbsp;: identité, filtres, vendeurs
          bloqués, paramètres, achats, extrait du journal. Seul le token de la place de marché n'y figure pas,
          pour votre sécurité. Le format se relit sans Synapse.
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
