/** Reads the posts of the demo data, which `conversations.txt` has in chronological order. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Name, people } from './people.ts'

export interface Post {
  readonly by: Name
  /** `@name` mentions an account. */
  readonly text: string
  readonly replies: Post[]
  /** Beginning of the text of an earlier post, which this one quotes. */
  quotes?: string
  /** Self-label. */
  label?: string
  /** A repost, and the accounts that like or repost via it. */
  repost?: { readonly by: Name; readonly likes: readonly Name[]; readonly reposts: readonly Name[] }
}

const file = join(import.meta.dirname, 'conversations.txt')

/** A reply is indented by two more spaces than its parent, as is a line in brackets about the post above it. */
export function readConversations(): Post[] {
  const top: Post[] = []
  /** The last post of each depth. */
  const path: Post[] = []
  for (const line of readFileSync(file, 'utf8').trimEnd().split(/\r?\n/)) {
    const [, indent = '', first = '', rest = ''] = /^( *)(\[\w+\]|\w+:) (.+)$/.exec(line) ?? []
    const depth = indent.length / 2
    const parent = path[depth - 1]
    if (first === '[quotes]' && parent) parent.quotes = rest
    else if (first === '[label]' && parent) parent.label = rest
    else if (first === '[reposted]' && parent) {
      const [by = [], likes = [], reposts = []] = rest.split(', ').map(namesIn)
      parent.repost = { by: nameOf(by[0]), likes, reposts }
    } else {
      const post: Post = { by: nameOf(first.slice(0, -1)), text: rest, replies: [] }
      path[depth] = post
      const siblings = depth === 0 ? top : parent?.replies
      siblings?.push(post)
    }
  }
  return top
}

const namesIn = (text: string) =>
  text
    .replace(/^(liked|reposted) by /, '')
    .split(' ')
    .map(nameOf)

function nameOf(text: string | undefined): Name {
  if (text === undefined || !Object.hasOwn(people, text)) throw new Error(`no account is named "${text}"`)
  return text as Name
}
