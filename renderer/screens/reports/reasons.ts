/** Kinds of reports, by the beginning of the name of their reason, such as `reasonHarassmentTroll`. */
const kinds = {
  reasonSpam: 'spam',
  reasonViolation: 'rules',
  reasonRule: 'rules',
  reasonMisleading: 'misleading',
  reasonSexual: 'sexual',
  reasonChildSafety: 'children',
  reasonRude: 'harassment',
  reasonHarassment: 'harassment',
  reasonViolence: 'violence',
  reasonSelfHarm: 'selfHarm',
  reasonAppeal: 'appeal',
} as const

export type ReasonKind = (typeof kinds)[keyof typeof kinds] | 'other'

/** Returns the kind of a reason; `other` for one that is not known. */
export function reasonKind(reasonType: string): ReasonKind {
  const name = reasonType.replace(/^.*#/, '')
  return Object.entries(kinds).find(([begin]) => name.startsWith(begin))?.[1] ?? 'other'
}
