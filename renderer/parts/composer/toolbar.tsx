/** What is below the text of a post: pictures, language, the letters that are left. */
import { ImagePlus } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { maxGraphemes, maxPictures } from '../../api/posts.ts'
import { t } from '../../strings/en.ts'
import { formatNumber } from '../../strings/format.ts'
import { IconButton } from '../../ui/button.tsx'
import styles from './composer.module.css'
import { allLanguages, likelyLanguages } from './languages.ts'

interface PictureButtonProps {
  readonly disabled: boolean
  onChoose(files: readonly File[]): void
}

export function PictureButton({ disabled, onChoose }: PictureButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        disabled={disabled}
        icon={<ImagePlus aria-hidden size={20} />}
        label={t.composer.addPictures(maxPictures)}
        onClick={() => input.current?.click()}
      />
      <input
        accept="image/*"
        hidden
        multiple
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])])
          // So that the same file can be chosen again.
          target.value = ''
        }}
        ref={input}
        type="file"
      />
    </>
  )
}

/** The value of the entry for all languages, which is no code. */
const otherValue = 'other'

interface LanguageSelectProps {
  readonly value: string
  onChange(code: string): void
}

/** A few languages; the last entry opens the list of all. */
export function LanguageSelect({ value, onChange }: LanguageSelectProps) {
  const select = useRef<HTMLSelectElement>(null)
  const [hasAll, setAll] = useState(false)
  const languages = useMemo(() => (hasAll ? allLanguages : likelyLanguages)(value), [hasAll, value])
  useEffect(() => {
    if (hasAll) openPicker(select.current)
  }, [hasAll])
  return (
    <select
      aria-label={t.composer.language}
      className={styles.language}
      onChange={({ target }) => (target.value === otherValue ? setAll(true) : onChange(target.value))}
      ref={select}
      title={t.composer.language}
      value={value}
    >
      {languages.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
      {!hasAll && <option value={otherValue}>{t.composer.otherLanguage}</option>}
    </select>
  )
}

/** Browsers permit it only as the response to a click or key. */
function openPicker(select: HTMLSelectElement | null): void {
  try {
    select?.showPicker()
  } catch {
    // The list of all languages opens with the next click.
  }
}

/** From the first of these numbers on, screen readers announce the letters that are left. */
const announced = [20, 10, 0] as const

interface CounterProps {
  readonly id: string
  readonly graphemes: number
}

/** The number of letters that are left; negative if there are too many. It describes the text field. */
export function Counter({ id, graphemes }: CounterProps) {
  const left = maxGraphemes - graphemes
  const reached = announced.findLast((limit) => left <= limit)
  return (
    <>
      <span className={styles.counter} data-over={left < 0 || undefined}>
        <span aria-hidden>{formatNumber(left)}</span>
        <span className="visually-hidden" id={id}>
          {t.composer.left(left)}
        </span>
      </span>
      <span className="visually-hidden" role="status">
        {reached !== undefined && (left < 0 ? t.composer.over : t.composer.left(reached))}
      </span>
    </>
  )
}
