/** What prevents a draft from being posted. */
import { bytesOf, graphemesOf } from '../../api/facets.ts'
import { maxGraphemes, maxPictures, maxTextBytes, postText } from '../../api/posts.ts'
import { t } from '../../strings/en.ts'

export interface TextSize {
  readonly graphemes: number
  readonly bytes: number
}

/** The size of a text as it is posted. */
export function sizeOf(text: string): TextSize {
  const posted = postText(text)
  return { graphemes: graphemesOf(posted), bytes: bytesOf(posted) }
}

interface Content {
  readonly size: TextSize
  readonly pictureCount: number
  /** Whether it quotes a post, so that it needs no text. */
  readonly hasQuote: boolean
  /** Whether a picture is being made smaller. */
  readonly isReading: boolean
  /** The status of the account, if it is not active. */
  readonly status: string | undefined
}

export function problemOf({ size, pictureCount, hasQuote, isReading, status }: Content): string | undefined {
  if (status !== undefined) return t.composer.inactive[status] ?? t.composer.otherwiseInactive
  if (isReading) return t.composer.reading
  if (pictureCount > maxPictures) return t.composer.surplusPictures(maxPictures)
  if (size.graphemes > maxGraphemes) return t.composer.tooLong(size.graphemes - maxGraphemes)
  if (size.bytes > maxTextBytes) return t.composer.tooManyBytes
  return size.graphemes === 0 && pictureCount === 0 && !hasQuote ? t.composer.empty : undefined
}
