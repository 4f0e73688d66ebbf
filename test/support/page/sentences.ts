/** The sentences of a Markdown document, as its reader sees them. */

/** Returns the sentences of paragraphs, lists and tables, without code, pictures, headings, lists of tests and the heads of tables. */
export function sentencesOf(markdown: string): string[] {
  const text = markdown
    .replaceAll(/```[\s\S]*?```/g, '\n\n')
    .replaceAll(/<!--[\s\S]*?-->|<[a-z/][^>]*>/g, '')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/^Tests:(?:\s+`[^`\n]+`,?)+$/gm, '')
  return blocksOf(text).flatMap(split)
}

/** Paragraphs, list items and cells of tables, each in one line. */
function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let isOpen = false
  let hasHead = false
  for (const line of text.split('\n')) {
    const isRow = /^\s*\|/.test(line)
    if (isRow) {
      if (hasHead && !/^[\s|:-]+$/.test(line)) blocks.push(...line.trim().slice(1, -1).split(' | '))
      hasHead = true
    } else hasHead = false
    if (isRow || line.trim() === '' || line.startsWith('#')) isOpen = false
    else if (isOpen && !/^\s*(?:[-*]|\d+\.) /.test(line)) blocks.push(`${blocks.pop()} ${line.trim()}`)
    else {
      blocks.push(line.replace(/^\s*(?:[-*]|\d+\.) /, '').trim())
      isOpen = true
    }
  }
  return blocks
}

/** Splits at the ends of sentences, and drops what marks bold text and links. */
function split(block: string): string[] {
  return block
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .split(/(?<=[.!?]["”)]?)\s+(?=[A-Z0-9`"“([])(?=[^`]*(?:`[^`]*`[^`]*)*$)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\s/.test(sentence) && /[a-z]/i.test(sentence.replaceAll(/`[^`]*`/g, '')))
}
