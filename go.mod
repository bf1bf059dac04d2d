module millrace.dev/millrace

go 1.26
