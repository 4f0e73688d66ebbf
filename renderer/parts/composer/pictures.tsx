/** The pictures of a draft, each with its description. */
import { X } from 'lucide-react'
import { t } from '../../strings/en.ts'
import { IconButton } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { usePreview } from '../../ui/pictures.ts'
import styles from './composer.module.css'
import type { Picture } from './drafts.ts'

const maxAltLength = 2000

interface PicturesProps {
  readonly pictures: readonly Picture[]
  readonly readOnly: boolean
  onChange(pictures: readonly Picture[]): void
}

export function Pictures({ pictures, readOnly, onChange }: PicturesProps) {
  if (pictures.length === 0) return null
  const replace = (id: string, by: readonly Picture[]) =>
    onChange(pictures.flatMap((picture) => (picture.id === id ? by : [picture])))
  return (
    <>
      <ul aria-label={t.composer.pictures} className={styles.pictures}>
        {pictures.map((picture, index) => (
          <PictureRow
            key={picture.id}
            onChange={(alt) => replace(picture.id, [{ ...picture, alt }])}
            onRemove={() => replace(picture.id, [])}
            picture={picture}
            place={index + 1}
            readOnly={readOnly}
          />
        ))}
      </ul>
      <p className="soft">{t.composer.picturesHint}</p>
    </>
  )
}

interface PictureRowProps {
  readonly picture: Picture
  /** From 1. */
  readonly place: number
  readonly readOnly: boolean
  onChange(alt: string): void
  onRemove(): void
}

function PictureRow({ picture, place, readOnly, onChange, onRemove }: PictureRowProps) {
  return (
    <li className={styles.picture}>
      <img alt="" className={styles.thumb} src={usePreview(picture.file)} />
      <TextArea
        label={t.composer.alt(place)}
        maxLength={maxAltLength}
        onChange={({ target }) => onChange(target.value)}
        placeholder={t.composer.altPlaceholder}
        readOnly={readOnly}
        rows={2}
        unmarked
        value={picture.alt}
      />
      <IconButton
        disabled={readOnly}
        icon={<X aria-hidden size={16} />}
        label={t.composer.removePicture(place)}
        onClick={onRemove}
        size="s"
      />
    </li>
  )
}
