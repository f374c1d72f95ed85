/** How large a file may be that a user opens: a longer recording would fill the memory of the page. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;
