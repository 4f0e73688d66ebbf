import { useState } from 'react'
import { Link } from 'wouter'
import { app } from '../../../lexicons/generated/index.ts'
import { imageUrl } from '../../api/images.ts'
import type { PostView } from '../../api/views.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Address, PersonName } from '../../ui/person.tsx'
import { postPath } from './paths.ts'
import styles from './post-card.module.css'
import { RichText } from './rich-text.tsx'
import { webUrl } from './segments.ts'

const { images, external, record, recordWithMedia, video } = app.example.embed

type EmbedView = NonNullable<PostView['embed']>
type ImageView = ReturnType<typeof images.view.parse>['images'][number]
type ExternalView = ReturnType<typeof external.view.parse>['external']
type MediaView = ReturnType<typeof recordWithMedia.view.parse>['media']
type RecordView = ReturnType<typeof record.view.parse>['record']

/** The embed of a post: pictures, a link, another post. */
export function Embed({ embed }: { readonly embed: EmbedView }) {
  if (record.view.isTypeOf(embed)) return <Quoted of={embed.record} />
  if (recordWithMedia.view.isTypeOf(embed)) {
    return (
      <>
        <Media embed={embed.media} />
        <Quoted of={embed.record.record} />
      </>
    )
  }
  return <Media embed={embed} />
}

/** Pictures or a link. Another embed becomes a line of text, so that embeds of an app view do not nest. */
function Media({ embed }: { readonly embed: EmbedView | MediaView }) {
  if (images.view.isTypeOf(embed)) return <Pictures pictures={embed.images} />
  if (external.view.isTypeOf(embed)) return <LinkCard link={embed.external} />
  return <p className={styles.gap}>{video.view.isTypeOf(embed) ? t.post.video : t.post.unknownEmbed}</p>
}

function Pictures({ pictures }: { readonly pictures: readonly ImageView[] }) {
  const [open, setOpen] = useState<ImageView>()
  return (
    <div className={styles.pictures} data-count={pictures.length}>
      {pictures.map((picture, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pictures of a post do not change
        <button className={styles.picture} key={index} onClick={() => setOpen(picture)} type="button">
          <img
            alt={picture.alt || t.post.pictureOf(index + 1)}
            loading="lazy"
            src={imageUrl(picture.thumb)}
          />
        </button>
      ))}
      {open && (
        <Dialog onClose={() => setOpen(undefined)} title={t.post.picture} wide>
          <img alt={open.alt || t.post.picture} className={styles.full} src={imageUrl(open.fullsize)} />
          {open.alt && <p className={styles.alt}>{open.alt}</p>}
        </Dialog>
      )}
    </div>
  )
}

function LinkCard({ link }: { readonly link: ExternalView }) {
  const { uri, title, description, thumb } = link
  const url = webUrl(uri)
  const picture = imageUrl(thumb)
  return (
    <div className={styles.card}>
      {picture && <img alt="" className={styles.cardPicture} loading="lazy" src={picture} />}
      <div className={styles.cardText}>
        {url && !desktop ? (
          <a href={url} rel="noopener noreferrer nofollow" target="_blank">
            {title || url}
          </a>
        ) : (
          <strong>{title}</strong>
        )}
        {description && <p className="soft">{description}</p>}
        <p className="soft">{url && !desktop ? new URL(url).host : uri}</p>
      </div>
    </div>
  )
}

function Quoted({ of }: { readonly of: RecordView }) {
  if (!record.viewRecord.isTypeOf(of)) return <p className={styles.gap}>{t.post.noQuote}</p>
  const { author, value, uri } = of
  return (
    <article className={styles.quoted}>
      <header className={styles.author}>
        <Avatar handle={author.handle} picture={author.avatar} size="s" />
        <strong>
          <PersonName of={author} />
        </strong>
        <Address elsewhereOnly of={author} />
        <Link className="soft" href={postPath(uri)}>
          {t.post.open}
        </Link>
      </header>
      <RichText record={value} />
    </article>
  )
}
