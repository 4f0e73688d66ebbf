import { useId, useRef, useState } from 'react'
import { imageUrl } from '../../api/images.ts'
import type { PictureField as FieldName } from '../../api/profile.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { decode, usePreview } from '../../ui/pictures.ts'
import type { ChosenPicture } from './crop-dialog.tsx'
import styles from './profile.module.css'

interface PictureFieldProps {
  readonly field: FieldName
  /** The URL of the current picture. */
  readonly current: string | undefined
  /** The change: a new picture, or null to remove it. */
  readonly change: Blob | null | undefined
  onChoose(picture: ChosenPicture): void
  onRemove(): void
}

/** A picture of the profile with a preview, and buttons to choose another and to remove it. */
export function PictureField({ field, current, change, onChoose, onRemove }: PictureFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const errorId = useId()
  const [isUnreadable, setUnreadable] = useState(false)
  const preview = usePreview(change)
  const shown = change === undefined ? imageUrl(current) : preview
  const choose = async (file: File | undefined) => {
    if (!file) return
    const bitmap = await decode(file)
    setUnreadable(bitmap === undefined)
    if (bitmap) onChoose({ field, bitmap, type: file.type })
  }
  return (
    <fieldset className={styles.pictureField}>
      <legend>{t.profile[field]}</legend>
      <div className={styles.preview} data-shape={field}>
        {shown ? <img alt="" src={shown} /> : <span>{t.profile.noPicture}</span>}
      </div>
      <div className={styles.pictureButtons}>
        <Button
          aria-describedby={isUnreadable ? errorId : undefined}
          aria-label={t.profile.chooseLabel[field]}
          onClick={() => input.current?.click()}
          size="s"
        >
          {t.profile.choose}
        </Button>
        {shown && (
          <Button aria-label={t.profile.removeLabel[field]} onClick={onRemove} size="s" variant="quiet">
            {t.profile.remove}
          </Button>
        )}
      </div>
      {isUnreadable && (
        <p className={styles.problem} id={errorId} role="alert">
          {t.profile.notAPicture}
        </p>
      )}
      <input
        accept="image/*"
        hidden
        onChange={(event) => {
          void choose(event.target.files?.[0])
          // So that the same file can be chosen again.
          event.target.value = ''
        }}
        ref={input}
        type="file"
      />
    </fieldset>
  )
}
