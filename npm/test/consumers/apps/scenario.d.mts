export declare const expected: Readonly<Record<string, unknown>>
export declare function scenario(millrace: object): Promise<Record<string, unknown>>
