/** Reads the XML in which servers list what they have. */
import sax from 'sax'
import { PlaceProblem } from './place.ts'

/** Texts of the elements below an element, by their local names, such as `propstat/prop/getcontentlength`. */
export type Texts = ReadonlyMap<string, string>

export interface Xml {
  /** The local name of the outermost element. */
  readonly root: string | undefined
  readonly texts: Texts
  /** The elements with one of the wanted names directly below the outermost one. */
  readonly rows: readonly { readonly name: string; readonly texts: Texts }[]
}

/** Parses while the body arrives. Entities of the document are not expanded. @throws PlaceProblem `unreachable` */
export async function readXml(
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  wanted: readonly string[] = [],
): Promise<Xml> {
  const parser = sax.parser(true, { xmlns: true })
  const path: string[] = []
  const texts = new Map<string, string>()
  const rows: { name: string; texts: Map<string, string> }[] = []
  let row: Map<string, string> | undefined
  let root: string | undefined
  let failure: Error | undefined

  const append = (text: string) => {
    const key = path.slice(row ? 2 : 1).join('/')
    const to = row ?? texts
    to.set(key, (to.get(key) ?? '') + text)
  }
  parser.onopentag = ({ local: name }: sax.QualifiedTag) => {
    root ??= name
    path.push(name)
    if (path.length === 2 && wanted.includes(name)) {
      row = new Map()
      rows.push({ name, texts: row })
    }
    append('')
  }
  parser.onclosetag = () => {
    path.pop()
    if (path.length < 2) row = undefined
  }
  parser.ontext = append
  parser.oncdata = append
  parser.onerror = (error) => {
    failure ??= error
    parser.resume()
  }

  const decoder = new TextDecoder()
  for await (const chunk of body) parser.write(decoder.decode(chunk, { stream: true }))
  parser.write(decoder.decode()).close()
  if (failure) {
    throw new PlaceProblem('unreachable', 'The response of the server is incomplete or no XML.', {
      cause: failure,
    })
  }
  return { root, texts, rows }
}
