import type { Collection } from '../../src/types.ts'

export interface User {
  id: number
  name: string
  active: boolean
  email?: string
  nickname: string | null
  role: 'admin' | 'guest'
  joined: Date
  tags: string[]
  address: { city: string; geo: { lat: number; lng?: number } }
  company: { title: string } | null
  settings?: { theme: string; since: Date }
}

export interface Post {
  id: string
  authorId: number
  content: { kind: 'text'; text: string } | { kind: 'image'; url: string }
}

export declare const users: Collection<User, number>
export declare const posts: Collection<Post, string>
export declare const loose: Collection
